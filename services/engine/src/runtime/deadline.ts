// Nothing waits for ever: a promise with a limit.
import { unavailable } from '../errors.ts'

/** Rejects with 503 when the time is over; what it waited for is not stopped. */
export function withDeadline<T>(promise: Promise<T>, milliseconds: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(unavailable(`${what} did not answer within ${milliseconds / 1000} s`)),
      milliseconds,
    )
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
