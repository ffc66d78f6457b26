// Runs one request of a batch as the endpoint itself would, and gives what it would have answered.
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { HttpError } from '@atoll/kernel/http/error'
import { checkInput } from '@atoll/kernel/http/validation/validation'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { ProjectCaller } from '../../callers.ts'
import { kernelErrors } from '../../errors/errors.ts'
import type { Inference, Port } from '../../inference/inference.ts'
import { CreateChatCompletion } from '../chat/completions/schema.ts'
import type { ChatCompletions } from '../chat/completions/service.ts'
import { CreateCompletion } from '../completions/schema.ts'
import type { Completions } from '../completions/service.ts'
import { answerBody } from '../embeddings/answer-body.ts'
import { CreateEmbeddings } from '../embeddings/schema.ts'
import type { Embeddings } from '../embeddings/service.ts'
import { CreateResponse } from '../responses/schema.ts'
import type { Responses } from '../responses/service.ts'
import type { BatchEndpoint } from './schema.ts'

const firstPauseMs = 500
const longestPauseMs = 30_000

const ports = {
  '/v1/chat/completions': 'chat',
  '/v1/completions': 'text',
  '/v1/embeddings': 'embeddings',
  '/v1/responses': 'chat',
} as const satisfies Record<BatchEndpoint, Port>

interface Endpoints {
  inference: Pick<Inference, 'resolve'>
  chat: ChatCompletions
  completions: Completions
  embeddings: Embeddings
  responses: Pick<Responses, 'create'>
  ids: Ids
  log: Log
}

export interface HttpAnswer {
  status_code: number
  request_id: string
  /** As JSON. */
  body: string
}

export class RequestRunner {
  readonly #endpoints: Endpoints

  constructor(endpoints: Endpoints) {
    this.#endpoints = endpoints
  }

  /** Whether the model is one for this endpoint. One that is only away for now is. */
  async serves(caller: ProjectCaller, endpoint: BatchEndpoint, model: string): Promise<boolean> {
    try {
      await this.#endpoints.inference.resolve(caller, model, ports[endpoint])
      return true
    } catch (error) {
      return !(error instanceof HttpError && (error.status === 400 || error.status === 404))
    }
  }

  /** Waits while the model or the limits are busy. Rejects only when the signal says stop. */
  async run(caller: ProjectCaller, endpoint: BatchEndpoint, body: unknown, signal: AbortSignal): Promise<HttpAnswer> {
    const request_id = this.#endpoints.ids.next('req_')
    for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
      try {
        return { status_code: 200, request_id, body: await this.#answer(caller, endpoint, body, signal) }
      } catch (error) {
        signal.throwIfAborted()
        if (!isBusy(error)) return { request_id, ...this.#refusal(error, request_id) }
      }
      await setTimeout(pause, undefined, { signal })
    }
  }

  async #answer(caller: ProjectCaller, endpoint: BatchEndpoint, body: unknown, signal: AbortSignal): Promise<string> {
    const { chat, completions, embeddings, responses } = this.#endpoints
    const options = { signal, batch: true }
    switch (endpoint) {
      case '/v1/chat/completions': {
        const request = checkInput(CreateChatCompletion, body, 'body', kernelErrors) as CreateChatCompletion
        return JSON.stringify((await chat.create(caller, request, options)).completion)
      }
      case '/v1/completions': {
        const request = checkInput(CreateCompletion, body, 'body', kernelErrors) as CreateCompletion
        return JSON.stringify((await completions.create(caller, request, options)).completion)
      }
      case '/v1/responses': {
        const request = checkInput(CreateResponse, body, 'body', kernelErrors) as CreateResponse
        return JSON.stringify((await responses.create(caller, request, options)).body)
      }
      case '/v1/embeddings': {
        const request = checkInput(CreateEmbeddings, body, 'body', kernelErrors) as CreateEmbeddings
        const { headers: _, ...answer } = await embeddings.create(caller, request, options)
        const written = answerBody(answer, request.encoding_format)
        return Buffer.isBuffer(written) ? written.toString() : text(written)
      }
    }
  }

  #refusal(error: unknown, requestId: string): { status_code: number; body: string } {
    if (!(error instanceof HttpError)) this.#endpoints.log.error({ error, requestId }, 'A request of a batch failed')
    const { status, body } = error instanceof HttpError ? error : kernelErrors.internal(requestId)
    return { status_code: status, body: JSON.stringify(body) }
  }
}

/** A model that is not there or cannot do this stays so; one that is busy does not. */
const isBusy = (error: unknown): boolean =>
  error instanceof HttpError &&
  (error.status === 429 || (error.status === 503 && error.headers['x-should-retry'] !== 'false'))
