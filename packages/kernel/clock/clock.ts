// Time comes through this port, so that tests can be exact about it.
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

export const unixSeconds = (clock: Clock): number => Math.floor(clock.now() / 1000)

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now: number

  constructor(startsAt = Date.UTC(2026, 0, 1)) {
    this.#now = startsAt
  }

  now(): number {
    return this.#now
  }

  advanceSeconds(seconds: number): void {
    this.#now += seconds * 1000
  }
}
