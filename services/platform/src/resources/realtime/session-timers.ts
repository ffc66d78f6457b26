// How long a session may last, and how long its client may be silent.
import { realtimeErrors } from '../../errors/realtime.ts'

interface Limits {
  maxSessionSeconds: number
  idleSeconds: number
}

export class SessionTimers {
  readonly #idle: NodeJS.Timeout
  readonly #end: NodeJS.Timeout

  constructor({ maxSessionSeconds, idleSeconds }: Limits, end: (reason: Error) => void) {
    this.#idle = setTimeout(() => end(realtimeErrors.sessionIdle(idleSeconds)), idleSeconds * 1000).unref()
    const minutes = Math.round(maxSessionSeconds / 60)
    this.#end = setTimeout(() => end(realtimeErrors.sessionTooLong(minutes)), maxSessionSeconds * 1000).unref()
  }

  /** The client has sent something. */
  heard(): void {
    this.#idle.refresh()
  }

  clear(): void {
    clearTimeout(this.#idle)
    clearTimeout(this.#end)
  }
}
