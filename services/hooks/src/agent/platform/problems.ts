// What can go wrong with the platform: for now, or for good.
import { APIConnectionError, APIError } from 'openai'

/** It may work later: the attempt failed, and is made again. */
export class PlatformAway extends Error {
  override name = 'PlatformAway'
}

/** It will not take this, however often it is asked. */
export class PlatformRefused extends Error {
  override name = 'PlatformRefused'
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** Another run is at work on the thread. */
export class ThreadBusy extends Error {
  override name = 'ThreadBusy'
}

/** Missing rights are the operator's to give; the hook is not at fault. */
const passing = [401, 403, 408, 409, 425, 429]
const busy = /already has an active run/

export function platformProblem(error: unknown): unknown {
  if (error instanceof APIConnectionError) {
    return new PlatformAway(`The platform cannot be reached: ${error.message}`, { cause: error })
  }
  if (!(error instanceof APIError) || error.status === undefined) return error
  if (error.status >= 500 || passing.includes(error.status)) {
    return new PlatformAway(`The platform answered with ${error.message}`)
  }
  if (error.status === 400 && busy.test(error.message)) return new ThreadBusy(error.message)
  return new PlatformRefused(`The platform answered with ${error.message}`, error.status)
}

export const isMissing = (error: unknown): boolean => error instanceof PlatformRefused && error.status === 404
