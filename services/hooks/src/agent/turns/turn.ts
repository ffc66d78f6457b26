// One turn of the agent, and what came of it.
import type { TurnRow } from './store.ts'

/** What the platform is asked for; kept with the turn. */
export interface TurnRequest {
  prompt: string
  model: string
  instructions: string
  /** Names of the tools it is offered. */
  tools: string[]
  timeoutSeconds: number
}

export interface TurnResult {
  status: 'completed' | 'failed' | 'timed_out'
  /** Messages of the run that say something, in order. */
  texts: string[]
  error?: string
  threadId?: string
  runId?: string
  model?: string
}

/** The run failed for a reason that may pass: the attempt failed, and is made again. */
export class RunFailed extends Error {
  override name = 'RunFailed'
}

export const requestOf = ({ request }: TurnRow): TurnRequest => JSON.parse(request) as TurnRequest

/** The platform takes no longer messages. */
const maxMessageLetters = 200_000

export function messagesOf(prompt: string): string[] {
  const messages: string[] = []
  for (let at = 0; at < prompt.length; ) {
    const end = wholeLetters(prompt, at + maxMessageLetters)
    messages.push(prompt.slice(at, end))
    at = end
  }
  return messages
}

/** Not between the halves of a surrogate pair. */
const wholeLetters = (text: string, end: number): number =>
  /[\ud800-\udbff]/.test(text.charAt(end - 1)) && end < text.length ? end - 1 : end

const maxSummaryLetters = 2_000

/** The last thing that was said. */
export function summaryOf({ texts, error }: TurnResult): string {
  const text = texts.at(-1) ?? error ?? 'nothing was said'
  return text.length > maxSummaryLetters ? `${text.slice(0, wholeLetters(text, maxSummaryLetters - 1))}…` : text
}
