// What can go wrong with a model server, in words for the caller: never with its address or our key.
import { ModelProblem, type UpstreamError } from '../problem.ts'

/** A try that failed, and what follows from it. */
export class FailedTry extends ModelProblem {
  /** Another try may do better. */
  readonly again: boolean
  /** Whether the replica is to blame, and how surely: one that cannot be reached is out at once. */
  readonly blame: 'unreachable' | 'failing' | 'none'
  /** The server asked to be left alone for so long. */
  readonly restMs: number | undefined
  readonly status: number

  constructor(
    message: string,
    status: number,
    rest: {
      again?: boolean
      blame?: FailedTry['blame']
      restMs?: number | undefined
      error?: UpstreamError | undefined
    },
    options?: ErrorOptions,
  ) {
    const retryAfterSeconds = rest.restMs === undefined ? undefined : Math.ceil(rest.restMs / 1000)
    super(message, { kind: 'upstream', status, error: rest.error, retryAfterSeconds }, options)
    this.again = rest.again ?? false
    this.blame = rest.blame ?? 'none'
    this.restMs = rest.restMs
    this.status = status
  }
}

/** No connection at all. A connection that is cut can be one that the server ended while we used it again. */
const connectCodes = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/

export function brokenConnection(cause: Error): FailedTry {
  const code = codeOf(cause)
  const blame = connectCodes.test(code) ? 'unreachable' : 'failing'
  const what = blame === 'unreachable' ? 'cannot be reached' : 'cut the connection'
  const message = `The model's server ${what}${code === '' ? '' : ` (${code})`}.`
  return new FailedTry(message, 502, { again: true, blame }, { cause })
}

export const timedOut = (what: string): FailedTry =>
  new FailedTry(`The model's server took too long: ${what}.`, 504, { again: true, blame: 'failing' })

export const tookTooLong = (totalMs: number): FailedTry =>
  new FailedTry(`The model's server took too long: no complete answer within ${totalMs} ms.`, 504, {})

/** It answered, but with what cannot be understood. */
export const senseless = (what: string): FailedTry => new FailedTry(`The model's server ${what}.`, 502, {})

const tooLarge = (what: string, bytes: number): FailedTry => senseless(`sent ${what} larger than ${bytes} bytes`)
export const answerTooLarge = (bytes: number): FailedTry => tooLarge('an answer', bytes)
export const eventTooLarge = (bytes: number): FailedTry => tooLarge('an event', bytes)

/** Only the code: messages of errors can hold addresses. */
function codeOf(cause: Error): string {
  const { code } = cause as NodeJS.ErrnoException
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : ''
}
