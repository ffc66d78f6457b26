// What a model runtime throws when it cannot do what was asked. The service turns it into its own error words.
export type ModelProblemDetail =
  /** Too much is waiting already. */
  | { kind: 'overloaded'; retryAfterSeconds: number }
  /** No model file, or none that can be loaded. `message` says what to do. */
  | { kind: 'not_installed' }
  /** `atLeast`: there are more, which were not counted. */
  | { kind: 'context_length'; maxTokens: number; requestedTokens: number; param: string; atLeast?: boolean }
  /** The model cannot do what a parameter asks for. */
  | { kind: 'unsupported'; param: string }
  /** The parameter's value is wrong in a way only the model can tell. */
  | { kind: 'invalid'; param: string }
  /** The server behind us refused or failed. `error` is its own error object where it gave one. */
  | { kind: 'upstream'; status: number; error: UpstreamError | undefined; retryAfterSeconds: number | undefined }
  /** The model's process ended, or gave an answer that cannot be. */
  | { kind: 'failed' }

export interface UpstreamError {
  message: string
  type?: string | null
  param?: string | null
  code?: string | number | null
}

export class ModelProblem extends Error {
  override readonly name = 'ModelProblem'
  readonly detail: ModelProblemDetail

  constructor(message: string, detail: ModelProblemDetail, options?: ErrorOptions) {
    super(message, options)
    this.detail = detail
  }
}
