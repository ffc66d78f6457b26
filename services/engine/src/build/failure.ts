// A build that did not work out, for a reason of its own.
export class BuildFailure extends Error {
  /** Of the command that failed; clients end with it. */
  readonly code: number | undefined

  constructor(message: string, code?: number) {
    super(message)
    this.code = code
  }
}

/** A command that ended with another code than 0. */
export class CommandFailure extends BuildFailure {
  readonly argv: readonly string[]

  constructor(argv: readonly string[], code: number) {
    super(`The command '${argv.join(' ')}' returned a non-zero code: ${code}`, code)
    this.argv = argv
  }
}
