// Why a manager does not speak to somebody.

export class Refused extends Error {
  /** Asking again is of no use. */
  readonly isFinal: boolean

  constructor(message: string, isFinal = true) {
    super(message)
    this.isFinal = isFinal
  }
}
