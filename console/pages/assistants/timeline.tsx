import type { RunStepObject, StepToolCall } from '../../api/types.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { FileImage } from '../../parts/file-image.tsx'
import type { ThreadState } from './thread-state.ts'

interface Props {
  state: ThreadState
  project: string
}

/** What the runs did, step by step. */
export function Timeline({ state: { steps, writing, run }, project }: Props) {
  return (
    <section className="card timeline" aria-label="Steps of the runs">
      <h2>Steps</h2>
      {run !== undefined && (
        <p role="status">
          Run <span className="tag">{run.status.replace('_', ' ')}</span>
        </p>
      )}
      {steps.length === 0 && <p className="muted">What a run does for an answer is shown here.</p>}
      <ol>
        {steps.map((step) => (
          <li key={step.id}>
            <Step step={step} writing={writing[step.id] ?? ''} project={project} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function Step({ step, writing, project }: { step: RunStepObject; writing: string; project: string }) {
  const { step_details: details, status, created_at, completed_at, usage, last_error } = step
  const seconds = completed_at === null ? '' : ` · ${completed_at - created_at} s`
  const calls = details.type === 'tool_calls' ? details.tool_calls : []
  return (
    <>
      <p>
        <strong>{details.type === 'message_creation' ? 'Writes a message' : 'Uses tools'}</strong>{' '}
        <span className="muted">
          {status.replace('_', ' ')}
          {seconds}
          {usage !== null && ` · ${usage.prompt_tokens} + ${usage.completion_tokens} tokens`}
        </span>
      </p>
      {last_error !== null && <p className="wrong">{last_error.message}</p>}
      {calls.length === 0 && writing !== '' && <CodeBlock language="python" code={writing} />}
      {calls.map((call) => (
        <Call key={call.id} call={call} writing={writing} project={project} />
      ))}
    </>
  )
}

function Call({ call, writing, project }: { call: StepToolCall; writing: string; project: string }) {
  if (call.type === 'file_search') {
    const results = call.file_search.results ?? []
    return (
      <details>
        <summary>File search: {results.length} passages</summary>
        <ul className="plain">
          {results.map(({ file_id, file_name, score }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: several passages may be of one file
            <li key={`${file_id}-${index}`}>
              <span className="long">{file_name}</span> <span className="tag">score {score.toFixed(3)}</span>
            </li>
          ))}
        </ul>
      </details>
    )
  }
  if (call.type === 'function') {
    const { name, arguments: given, output } = call.function
    return <CodeBlock language={`calls ${name}`} code={`${given}${output === null ? '' : `\n→ ${output}`}`} />
  }
  const { input, outputs } = call.code_interpreter
  return (
    <>
      <CodeBlock language="python" code={input === '' ? writing : input} />
      {outputs.map((output, index) =>
        output.type === 'image' ? (
          <FileImage key={output.image.file_id} id={output.image.file_id} project={project} label="Drawn by the code" />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: outputs are only ever added at the end
          <CodeBlock key={index} language="output" code={output.logs} />
        ),
      )}
    </>
  )
}
