// A build that did not work out, for a reason of its own.
export class BuildFailure extends Error {
  /** Of the command that failed; clients end with it. */
  readonly code: number | undefined

  constructor(message: string, code?: number) {
    super(message)
    this.code = code
  }
}
