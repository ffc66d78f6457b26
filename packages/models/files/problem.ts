/** Something about model files that a person has to know or to change; nothing was changed. */
export class ModelFileProblem extends Error {
  override readonly name = 'ModelFileProblem'
}

/** A failure that may be gone a moment later. */
export class PassingProblem extends Error {
  override readonly name = 'PassingProblem'
  /** What the server asked for. */
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, options: ErrorOptions & { retryAfterSeconds?: number | undefined } = {}) {
    super(message, options)
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** What is fetched is no longer what was begun: its parts cannot be put together. */
export class ChangedProblem extends Error {
  override readonly name = 'ChangedProblem'
}
