// What a batch's input may hold. Problems are collected, not thrown: all of them are told at once.
import type { InputLine } from '@atoll/kernel/blobs/input-lines'
import type { BatchEndpoint, BatchError } from './schema.ts'

export const maxRequests = 50_000
export const maxEmbeddingInputs = 50_000 // INF-215
const maxListedErrors = 1_000
const maxCustomIdLetters = 512
/** All lines use one; further ones are told as such, and not asked for. */
const maxModels = 16
const maxShownLetters = 256

export interface CheckedLine {
  line: number
  custom_id: string
  start: number
  bytes: number
}

/** Without it a line cannot be run; whether it holds what it should, the endpoint says itself. */
const requiredField: Partial<Record<BatchEndpoint, string>> = {
  '/v1/chat/completions': 'messages',
  '/v1/embeddings': 'input',
}

const endpointNames: Record<BatchEndpoint, string> = {
  '/v1/chat/completions': 'Chat Completions',
  '/v1/embeddings': 'Embeddings',
  '/v1/completions': 'Completions',
  '/v1/responses': 'Responses',
}

/** Checks one line after the other. */
export class LineCheck {
  readonly errors: BatchError[] = []
  errorCount = 0
  requests = 0
  readonly #endpoint: BatchEndpoint
  readonly #serves: (model: string) => Promise<boolean>
  /** Whether each model that was named answers this endpoint. */
  readonly #models = new Map<string, boolean>()
  readonly #customIds = new Set<string>()
  #model: string | undefined
  #embeddingInputs = 0

  constructor(endpoint: BatchEndpoint, serves: (model: string) => Promise<boolean>) {
    this.#endpoint = endpoint
    this.#serves = serves
  }

  refuse(error: BatchError): void {
    this.errorCount++
    if (this.errors.length < maxListedErrors) this.errors.push(error)
  }

  /** Undefined: the line cannot be run. */
  async add({ number, start, bytes, text }: InputLine): Promise<CheckedLine | undefined> {
    this.requests++
    if (this.requests === maxRequests + 1) {
      this.#problem('too_many_tasks', `The batch has more than ${maxRequests} requests.`, null, null)
    }
    if (text === undefined) return this.#problem('line_too_long', 'This line is too long.', null, number)
    const request = parsed(text)
    if (request === undefined) {
      return this.#problem('invalid_json_line', 'This line is not parseable as valid JSON.', null, number)
    }
    await this.#askForModel(request.body)
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
      this.#missing('custom_id', line)
    } else if (custom_id.length > maxCustomIdLetters) {
      const message = `The custom_id is too long: it has ${custom_id.length} characters, at most ${maxCustomIdLetters} are allowed.`
      this.#problem('string_above_max_length', message, 'custom_id', line)
    } else if (this.#customIds.has(custom_id)) {
      this.#problem('duplicate_custom_id', `The custom_id '${custom_id}' is used more than once.`, 'custom_id', line)
    } else this.#customIds.add(custom_id)
    if (method === undefined) this.#missing('method', line)
    else if (method !== 'POST') this.#problem('invalid_method', "The method must be 'POST'.", 'method', line)
    if (url === undefined) this.#missing('url', line)
    else if (url !== this.#endpoint) {
      this.#problem('invalid_url', 'The URL provided for this request does not match the batch endpoint.', 'url', line)
    }
    if (isRecord(body)) this.#body(body, line)
    else this.#missing('body', line)
    return this.errorCount === before ? (custom_id as string) : undefined
  }

  /** Before the line is judged, and once for each model. */
  async #askForModel(body: unknown): Promise<void> {
    const model = isRecord(body) ? body.model : undefined
    if (typeof model !== 'string' || this.#models.size >= maxModels || this.#models.has(model)) return
    this.#models.set(model, await this.#serves(model))
  }

  #body(body: Record<string, unknown>, line: number): void {
    const { model, stream, input } = body
    if (stream === true) {
      const message = `${endpointNames[this.#endpoint]}: Streaming is not supported in the Batch API.`
      this.#problem('streaming_unsupported', message, 'body.stream', line)
    }
    const field = requiredField[this.#endpoint]
    if (field !== undefined && body[field] === undefined) this.#required(field, line)
    if (typeof model === 'string' && model !== '') this.#modelOf(model, line)
    else this.#required('model', line)
    if (this.#endpoint === '/v1/embeddings') {
      const isMany = Array.isArray(input) && typeof input[0] !== 'number'
      this.#embeddingInputs += isMany ? input.length : 1
    }
  }

  #modelOf(model: string, line: number): void {
    const shown = model.slice(0, maxShownLetters)
    if (this.#models.get(model) === false) {
      const message = `The provided model '${shown}' is not supported by the Batch API.`
      this.#problem('model_not_found', message, 'body.model', line)
      return
    }
    this.#model ??= model
    if (model === this.#model) return
    const message = `All requests of a batch use the same model: '${this.#model}' here, not '${shown}'.`
    this.#problem('model_mismatch', message, 'body.model', line)
  }

  #missing(param: string, line: number): void {
    this.#problem('missing_required_parameter', `Missing required parameter: '${param}'.`, param, line)
  }

  #required(field: string, line: number): void {
    const message = `${field.slice(0, 1).toUpperCase()}${field.slice(1)} parameter is required.`
    this.#problem('invalid_request', message, `body.${field}`, line)
  }

  #problem(code: string, message: string, param: string | null, line: number | null): undefined {
    this.refuse({ code, message, param, line })
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
