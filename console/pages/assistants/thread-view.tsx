import type { AssistantObject } from '../../api/types.ts'
import { Composer } from '../playground/composer.tsx'
import { ToolResults } from '../playground/tool-results.tsx'
import { MessageCard } from './message-card.tsx'
import { Timeline } from './timeline.tsx'
import { useThread } from './use-thread.ts'

/** What is said on the left, what the runs did for it on the right. */
export function ThreadView({ assistant, project }: { assistant: AssistantObject; project: string }) {
  const { state, isRunning, problem, say, answer, stop, clear } = useThread(assistant.id, project)
  const { messages, steps, run } = state
  const calls = isRunning ? undefined : run?.required_action?.submit_tool_outputs.tool_calls
  return (
    <div className="thread-view">
      <section className="pane" aria-label="Thread">
        <div
          className="turns"
          role="log"
          aria-label="Messages"
          aria-busy={isRunning}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by the keyboard
          tabIndex={0}
        >
          {messages.length === 0 && <p className="muted">Nothing was said yet: the first message makes a thread.</p>}
          {messages.map((message) => (
            <MessageCard key={message.id} message={message} steps={steps} project={project} />
          ))}
          {calls !== undefined && calls.length > 0 && (
            <ToolResults
              key={run?.id}
              calls={calls}
              send={(results) =>
                void answer(
                  results.map(({ toolCallId = '', content }) => ({ tool_call_id: toolCallId, output: content })),
                )
              }
            />
          )}
          {run?.last_error && (
            <p className="wrong" role="alert">
              {run.last_error.message}
            </p>
          )}
          {problem !== undefined && (
            <p className="wrong" role="alert">
              {problem}
            </p>
          )}
        </div>
        <Composer isAnswering={isRunning} send={(text) => void say(text)} stop={() => void stop()} />
        <button type="button" className="quiet small" onClick={clear} disabled={messages.length === 0 || isRunning}>
          Begin a new thread
        </button>
      </section>
      <Timeline state={state} project={project} />
    </div>
  )
}
