// What a batch's input may hold. Problems are collected, not thrown: all of them are told at once.
import type { InputLine } from './input-lines.ts'
import type { BatchEndpoint, BatchError } from './schema.ts'

export const maxRequests = 50_000
export const maxEmbeddingInputs = 50_000 // INF-215
const maxListedErrors = 1_000
const maxCustomIdLetters = 512

export interface CheckedLine {
  line: number
  custom_id: string
  start: number
  bytes: number
}

/** Checks one line after the other. */
export class LineCheck {
  readonly errors: BatchError[] = []
  errorCount = 0
  requests = 0
  readonly #endpoint: BatchEndpoint
  readonly #customIds = new Set<string>()
  #model: string | undefined
  #embeddingInputs = 0

  constructor(endpoint: BatchEndpoint) {
    this.#endpoint = endpoint
  }

  /** Undefined: the line cannot be run. */
  add({ number, start, bytes, text }: InputLine): CheckedLine | undefined {
    this.requests++
    if (this.requests === maxRequests + 1) {
      this.#problem('too_many_tasks', `The batch has more than ${maxRequests} requests.`, null, null)
    }
    if (text === undefined) return this.#problem('line_too_long', 'This line is too long.', null, number)
    const request = parsed(text)
    if (request === undefined) {
      return this.#problem('invalid_json_line', 'This line is not parseable as valid JSON.', null, number)
    }
    const custom_id = this.#request(request, number)
    return custom_id === undefined ? undefined : { line: number, custom_id, start, bytes }
  }

  end(): void {
    if (this.requests === 0) this.#problem('empty_file', 'The input file is empty.', 'input_file_id', null)
    if (this.#embeddingInputs > maxEmbeddingInputs) {
      const message = `The batch has ${this.#embeddingInputs} embedding inputs; at most ${maxEmbeddingInputs} are allowed.`
      this.#problem('too_many_embedding_inputs', message, null, null)
    }
  }

  #request(request: Record<string, unknown>, line: number): string | undefined {
    const before = this.errorCount
    const { custom_id, method, url, body } = request
    if (typeof custom_id !== 'string' || custom_id === '') {
      this.#problem('missing_required_parameter', "Missing required parameter: 'custom_id'.", 'custom_id', line)
    } else if (custom_id.length > maxCustomIdLetters) {
      const message = `The custom_id is too long: it has ${custom_id.length} characters, at most ${maxCustomIdLetters} are allowed.`
      this.#problem('string_above_max_length', message, 'custom_id', line)
    } else if (this.#customIds.has(custom_id)) {
      this.#problem('duplicate_custom_id', `The custom_id '${custom_id}' is used more than once.`, 'custom_id', line)
    } else this.#customIds.add(custom_id)
    if (method !== 'POST') this.#problem('invalid_method', "The method must be 'POST'.", 'method', line)
    if (url !== this.#endpoint) {
      const message = `The URL provided for this request does not match the batch endpoint '${this.#endpoint}'.`
      this.#problem('url_mismatch', message, 'url', line)
    }
    if (!isRecord(body)) {
      this.#problem('missing_required_parameter', "Missing required parameter: 'body'.", 'body', line)
    } else this.#body(body, line)
    return this.errorCount === before ? (custom_id as string) : undefined
  }

  #body(body: Record<string, unknown>, line: number): void {
    const { model, stream, input } = body
    if (stream === true) {
      this.#problem('invalid_value', "'stream' cannot be used in a batch.", 'body.stream', line)
    }
    if (typeof model !== 'string' || model === '') {
      this.#problem('missing_required_parameter', "Missing required parameter: 'body.model'.", 'body.model', line)
      return
    }
    this.#model ??= model
    if (model !== this.#model) {
      const message = `All requests of a batch use the same model: '${this.#model}' here, not '${model}'.`
      this.#problem('model_mismatch', message, 'body.model', line)
    }
    if (this.#endpoint === '/v1/embeddings') {
      const isMany = Array.isArray(input) && typeof input[0] !== 'number'
      this.#embeddingInputs += isMany ? input.length : 1
    }
  }

  #problem(code: string, message: string, param: string | null, line: number | null): undefined {
    this.errorCount++
    if (this.errors.length < maxListedErrors) this.errors.push({ code, message, param, line })
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
