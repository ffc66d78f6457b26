// Every error of runs and run steps: the words are those that programs in the wild look for.
import { platformError } from './errors.ts'

const quoted = (ids: readonly string[]): string => `[${ids.map((id) => `'${id}'`).join(', ')}]`

export const runErrors = {
  noSuchRun: (id: string) => platformError(404, { message: `No run found with id '${id}'.` }),
  noSuchStep: (id: string) => platformError(404, { message: `No run step found with id '${id}'.` }),
  threadBusy: (threadId: string, runId: string) =>
    platformError(400, { message: `Thread ${threadId} already has an active run ${runId}.` }),
  // AST-081
  noOutputsWanted: (status: string) =>
    platformError(400, { message: `Runs in status "${status}" do not accept tool outputs.` }),
  // AST-082
  wrongOutputs: (expected: readonly string[], got: readonly string[]) =>
    platformError(400, { message: `Expected tool outputs for call_ids ${quoted(expected)}, got ${quoted(got)}` }),
  cannotCancel: (status: string) => platformError(400, { message: `Cannot cancel run with status '${status}'.` }),
  toolNotThere: (what: string) =>
    platformError(400, {
      message: `Invalid value for 'tool_choice': the run has no ${what} among its tools.`,
      param: 'tool_choice',
      code: 'invalid_value',
    }),
  repeatedFunction: (name: string) =>
    platformError(400, {
      message: `Invalid value for 'tools': the run has more than one tool named '${name}'.`,
      param: 'tools',
      code: 'invalid_value',
    }),
}

/** What `last_error` says when a run fails by itself. */
export const runFailures = {
  interrupted: (attempts: number) =>
    `The server stopped while it worked on this run, ${attempts} times. Please create the run again.`,
  stepInterrupted: 'The server stopped while it worked on this step; the run went on without it.',
  tooManyTurns: (turns: number) =>
    `The model asked for tools ${turns} times without an end. Give it clearer instructions, or fewer tools.`,
  internal: 'The server had an error while it worked on this run. The log of this server tells more.',
  badImage: (fileId: string) => `The image '${fileId}' of a message could not be read: it was deleted or is too large.`,
}
