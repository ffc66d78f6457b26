// The `code_interpreter` tool: Python in a sandbox, with the files of the assistant and the thread. AST-096
import type { BlobStore } from '@atoll/kernel/blobs/blobs'
import type { Database } from '@atoll/kernel/db/database'
import type { FunctionTool } from '@atoll/models/chat'
import { type Sandbox, SandboxProblem } from '@atoll/sandbox/sandbox'
import type { ProjectCaller } from '../../callers.ts'
import type { Files } from '../../resources/files/service.ts'
import type { CodeOutput, StepToolCall } from '../../resources/threads/runs/steps/schema.ts'
import { codeOf } from './code/argument.ts'
import { CodeFiles } from './code/files.ts'
import { CodeOutputs, type CodeRun } from './code/outputs.ts'
import { shortened } from './code/shortened.ts'
import type { DefinitionContext, HostedTool, ToolContext, ToolOutcome, WrittenFile } from './hosted-tool.ts'

const maxModelLetters = 8 * 1024
const lettersPerToken = 3
const maxListedFiles = 20

interface Parts {
  sandbox: Sandbox
  db: Pick<Database, 'queries'>
  blobs: BlobStore
  files: Pick<Files, 'named' | 'content' | 'newId' | 'keepWritten'>
  /** Told of each new session, to be counted. */
  sessionBegan(caller: ProjectCaller): void
}

export class CodeInterpreter implements HostedTool {
  readonly type = 'code_interpreter'
  readonly #parts: Parts
  readonly #inputs: CodeFiles

  constructor(parts: Parts) {
    this.#parts = parts
    this.#inputs = new CodeFiles({ queries: parts.db.queries, files: parts.files })
  }

  async definition(context: DefinitionContext): Promise<FunctionTool> {
    const names = (await this.#inputs.of(context)).filter(({ stored }) => stored !== undefined).map(({ name }) => name)
    const listed = names.slice(0, maxListedFiles).map((name) => `/mnt/data/${name}`)
    const files = listed.length === 0 ? '' : `. Files: ${listed.join(', ')}`
    return {
      name: 'code_interpreter',
      description: `Run Python code and see what it prints; files belong in /mnt/data${files}`,
      parameters: {
        type: 'object',
        properties: { code: { type: 'string', description: 'Python code' } },
        required: ['code'],
      },
    }
  }

  async call(context: ToolContext, args: string): Promise<ToolOutcome> {
    const code = codeOf(args)
    context.progress(asCall(context, code, []))
    const outputs = await this.#run(context, code)
    const call = asCall(context, code, outputs.outputs)
    context.progress(call)
    const output = forModel(outputs, context.outputTokens)
    const { files } = outputs
    return { call, output, passages: [], files, keepIn: (tx) => outputs.keepIn(tx, context.caller) }
  }

  async #run(context: ToolContext, code: string): Promise<CodeOutputs> {
    const outputs = new CodeOutputs(this.#parts)
    if (code.trim() === '') {
      outputs.addLogs('No code was given. Give Python code as {"code": "..."}.')
      return outputs
    }
    try {
      // A session that was idle may be closed for another just now: then there is a new one.
      const ran = await this.#runOnce(context, code).catch((error: unknown) => {
        if (error instanceof SandboxProblem) return this.#runOnce(context, code)
        throw error
      })
      await outputs.add(ran)
    } catch (error) {
      if (!(error instanceof SandboxProblem)) throw error
      outputs.addLogs(`The code was not run: ${error.message}`)
    }
    return outputs
  }

  async #runOnce(context: ToolContext, code: string): Promise<CodeRun> {
    const { threadId, assistantId, signal } = context
    const { session } = await orStopped(this.#session(context, `${threadId} ${assistantId}`), signal)
    const problems = await this.#inputs.give(context, session)
    const result = await session.run(code, { signal })
    signal.throwIfAborted()
    return { ...result, problems, folder: session.folder }
  }

  /** Counted even when nobody waits for it any more. */
  async #session({ caller }: ToolContext, name: string) {
    const opened = await this.#parts.sandbox.session(name)
    if (opened.isNew) this.#parts.sessionBegan(caller)
    return opened
  }
}

/** A new session takes a while; whoever stops the run does not wait for it. */
async function orStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>()
  const stop = (): void => stopped.reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  return Promise.race([work, stopped.promise]).finally(() => signal.removeEventListener('abort', stop))
}

const asCall = ({ callId }: ToolContext, input: string, outputs: readonly CodeOutput[]): StepToolCall => ({
  id: callId,
  type: 'code_interpreter',
  code_interpreter: { input, outputs: structuredClone([...outputs]) },
})

/** What the model reads: what was printed, and what there is now. */
function forModel({ outputs, files }: CodeOutputs, tokens: number): string {
  const logs = outputs.map((output) => (output.type === 'logs' ? output.logs : '[image]\n')).join('')
  const text = shortened(logs.trim(), Math.min(maxModelLetters, tokens * lettersPerToken))
  return [text === '' ? 'The code ran and printed nothing.' : text, ...linksTo(files)].join('\n')
}

function linksTo(files: readonly WrittenFile[]): string[] {
  const paths = files.flatMap(({ path }) => (path === undefined ? [] : [path])).slice(0, maxListedFiles)
  if (paths.length === 0) return []
  const links = paths.map((path) => `[${path.split('/').at(-1)}](sandbox:${path})`)
  return [`Files written; link to them like this: ${links.join(', ')}`]
}
