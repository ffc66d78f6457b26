// What each configured model can be asked for, and what runs it.
import type { RuntimeSettings } from '@atoll/models/config'
import { inferenceErrors, modelErrors } from '../errors/errors.ts'
import type { Operation, Port } from './inference.ts'
import { type ModelSettings, servedBy } from './settings.ts'

const operationOf: Record<Port, Operation> = {
  chat: 'chat',
  text: 'completions',
  embeddings: 'embeddings',
  moderation: 'moderations',
  transcription: 'audio_transcriptions',
  speech: 'audio_speeches',
  drawing: 'images',
}

const endpoints: Record<Operation, string> = {
  chat: 'v1/chat/completions',
  completions: 'v1/completions',
  embeddings: 'v1/embeddings',
  moderations: 'v1/moderations',
  audio_transcriptions: 'v1/audio/transcriptions',
  audio_speeches: 'v1/audio/speech',
  images: 'v1/images/generations',
}

const maxSuggestions = 5

interface Entry {
  settings: ModelSettings
  serves: readonly Operation[]
}

export class Catalogue {
  readonly #entries: ReadonlyMap<string, Entry>

  constructor(models: readonly ModelSettings[], runtimes: Record<string, RuntimeSettings>) {
    this.#entries = new Map(models.map((settings) => [settings.id, { settings, serves: servedBy(settings, runtimes) }]))
  }

  /** Throws when the model is not one for this. */
  find(id: string, port: Port, endpoint?: string): { runtime: string; settings: ModelSettings } {
    const entry = this.#entries.get(id)
    if (entry === undefined) throw modelErrors.notFound(id)
    const { runtime } = entry.settings
    if (runtime === undefined || !entry.serves.includes(operationOf[port])) throw this.refusal(id, port, endpoint)
    return { runtime, settings: entry.settings }
  }

  prices(id: string): ModelSettings['prices'] {
    return this.#entries.get(id)?.settings.prices
  }

  refusal(id: string, port: Port, endpoint = endpoints[operationOf[port]]): Error {
    const operation = operationOf[port]
    const others = (this.#entries.get(id)?.serves ?? []).filter((served) => served !== operation)
    const instead = others[0] === undefined ? undefined : endpoints[others[0]]
    if (operation === 'chat') return inferenceErrors.notAChatModel(endpoint, instead)
    if (operation === 'completions') return inferenceErrors.notACompletionsModel(instead)
    const suited = [...this.#entries].filter(([, { serves }]) => serves.includes(operation)).map(([name]) => name)
    return inferenceErrors.notForOperation(id, endpoint, suited.slice(0, maxSuggestions))
  }
}

const meteredPaths = new Set([
  ...Object.values(endpoints).map((endpoint) => `/${endpoint}`),
  '/v1/audio/translations',
  '/v1/responses',
  '/v1/images/edits',
  '/v1/images/variations',
])

/** Whether a route takes its request from the limits of a model, once its body names one, and from no other. */
export const isMetered = ({ method, path }: { method: string; path: string }): boolean =>
  method === 'POST' && meteredPaths.has(path)
