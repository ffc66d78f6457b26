// What an HTTP status means for a message.
import { NotSent } from '../channel.ts'
import type { Answer } from './guarded-request.ts'

const longestWaitMs = 3_600_000
/** The request was not even looked at. */
const refusedUnseen = [429, 503]

/** Returns when it was taken; throws NotSent with the service's own words otherwise. */
export function judgeAnswer(service: string, answer: Answer, retryAfterMs?: number): void {
  const { status } = answer
  if (status >= 200 && status < 300) return
  const words = wordsOf(answer.json)
  const message = `${service} answered ${status}${words === undefined ? '' : `: ${words}`}`
  if (status === 429) throw new NotSent(message, { retryAfterMs: retryAfterMs ?? retryAfter(answer) ?? 1_000 })
  const mayHeal = status >= 500 || status === 408 || status === 425
  const waitMs = retryAfterMs ?? retryAfter(answer)
  throw new NotSent(message, {
    forGood: !mayHeal,
    uncertain: mayHeal && !refusedUnseen.includes(status),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  })
}

function retryAfter({ headers }: Answer): number | undefined {
  const text = headers['retry-after']
  if (text === undefined) return undefined
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), longestWaitMs) : undefined
}

function wordsOf(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const { error, message, description } = json as Record<string, unknown>
  const words = [message, description, error].find((each) => typeof each === 'string')
  return words?.slice(0, 300)
}
