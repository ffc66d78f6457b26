// Why a manager does not speak to somebody.

export class Refused extends Error {
  /** Asking again is of no use. */
  readonly isFinal: boolean
  /** Where the manager is that may answer. */
  readonly leader: string | undefined

  constructor(message: string, isFinal = true, leader?: string) {
    super(message)
    this.isFinal = isFinal
    this.leader = leader
  }
}
