// Chat completions that are stored: every acknowledged one is found again.
import { randomUUID } from 'node:crypto'
import { type Caller, insist } from '../caller.ts'
import { Load } from './load.ts'

const patienceMs = 20_000

export class CompletionLoad extends Load {
  readonly name = 'chat'
  readonly promise = 'every acknowledged stored completion is found again'
  readonly #caller: Caller
  readonly #stored = new Map<string, string>()

  constructor(caller: Caller) {
    super()
    this.#caller = caller
  }

  get acknowledged(): number {
    return this.#stored.size
  }

  summary(): string {
    return `${this.#stored.size} stored`
  }

  protected async step(): Promise<void> {
    const mark = randomUUID()
    const messages = [{ role: 'user', content: mark }]
    const request = { model: 'stub', messages, store: true, metadata: { mark } }
    const { id } = await this.#caller.ask<{ id: string }>('POST', '/v1/chat/completions', request)
    this.#stored.set(id, mark)
  }

  protected async check(): Promise<void> {
    for (const [id, mark] of this.#stored) {
      const get = () => this.#caller.ask<{ metadata?: { mark?: string } }>('GET', `/v1/chat/completions/${id}`)
      const { metadata } = await insist(get, patienceMs)
      if (metadata?.mark !== mark) this.broken(`completion ${id} is another one`)
    }
  }
}
