// Messages of threads: every acknowledged one is there once, in the order they were sent.
import { randomUUID } from 'node:crypto'
import { type Caller, insist } from '../caller.ts'
import { Load, listAll } from './load.ts'

const perThread = 60
const patienceMs = 20_000

interface Message {
  id: string
  content: { text: { value: string } }[]
}

interface Page {
  data: Message[]
  has_more: boolean
}

interface Thread {
  id: string
  /** In their order; `isKnown`: acknowledged. */
  sent: { text: string; isKnown: boolean }[]
}

export class MessageLoad extends Load {
  readonly name = 'messages'
  readonly promise = 'every acknowledged message is in its thread once, in order; none is doubled'
  readonly #caller: Caller
  readonly #threads: Thread[] = []
  #acknowledged = 0

  constructor(caller: Caller) {
    super()
    this.#caller = caller
  }

  get acknowledged(): number {
    return this.#acknowledged
  }

  summary(): string {
    return `${this.#acknowledged} in ${this.#threads.length} threads`
  }

  protected async step(): Promise<void> {
    let thread = this.#threads.at(-1)
    if (thread === undefined || thread.sent.length >= perThread) {
      thread = { id: (await this.#caller.ask<{ id: string }>('POST', '/v1/threads', {})).id, sent: [] }
      this.#threads.push(thread)
    }
    const message = { text: randomUUID(), isKnown: false }
    thread.sent.push(message)
    await this.#caller.ask('POST', `/v1/threads/${thread.id}/messages`, { role: 'user', content: message.text })
    message.isKnown = true
    this.#acknowledged++
  }

  protected async check(): Promise<void> {
    for (const { id, sent } of this.#threads) {
      const found = await listAll<Message>((query) => {
        const page = () => this.#caller.ask<Page>('GET', `/v1/threads/${id}/messages?${query}`)
        return insist(page, patienceMs)
      })
      const texts = found.map(({ content }) => content[0]?.text.value ?? '')
      if (new Set(texts).size !== texts.length) this.broken(`thread ${id} holds a message twice`)
      const places = sent.map(({ text, isKnown }) => ({ text, isKnown, at: texts.indexOf(text) }))
      for (const { text, isKnown, at } of places) {
        if (isKnown && at < 0) this.broken(`message ${text} was acknowledged and is lost from thread ${id}`)
      }
      const order = places.filter(({ isKnown, at }) => isKnown && at >= 0).map(({ at }) => at)
      if (order.some((at, index) => at < (order[index - 1] ?? -1))) this.broken(`thread ${id} is out of order`)
    }
  }
}
