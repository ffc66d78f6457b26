// A caller of the group. What gets no answer, or a 5xx, may or may not have taken effect; any other refusal is wrong.
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, Client, Unanswered } from '../crash/client.ts'

/** Not acknowledged. */
export class NotDone extends Error {
  override readonly name = 'NotDone'
}

/** What the interface of threads and runs asks for. */
export const assistants = { 'openai-beta': 'assistants=v2' }
const mostNoted = 20
const retryMs = 100
const serverError = 500

export class Caller {
  readonly #client: Client
  /** Refusals that a fault does not explain. */
  readonly wrong: string[] = []
  /** Of those that failed, the first few. */
  readonly failures: string[] = []
  readonly counts = { answered: 0, failed: 0 }

  constructor(url: string, key: string) {
    this.#client = new Client(url, key, assistants)
  }

  async ask<T>(method: string, path: string, body?: FormData | object): Promise<T> {
    return JSON.parse((await this.bytes(method, path, body)).toString()) as T
  }

  async bytes(method: string, path: string, body?: FormData | object): Promise<Buffer<ArrayBuffer>> {
    const answer = await this.#send(method, path, body)
    if (answer.status === 200) return answer.bytes
    const what = `${method} ${path}: ${answer.status} ${answer.bytes.toString().slice(0, 300)}`
    if (answer.status < serverError) this.note(what)
    else this.#failed(what)
    throw new NotDone(what)
  }

  note(problem: string): void {
    if (this.wrong.length < mostNoted) this.wrong.push(problem)
  }

  async #send(method: string, path: string, body?: FormData | object): Promise<Answer> {
    try {
      const answer = await this.#client.send(method, path, body)
      if (answer.status < serverError) this.counts.answered++
      return answer
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      this.#failed(error.message)
      throw new NotDone(error.message, { cause: error })
    }
  }

  #failed(what: string): void {
    this.counts.failed++
    if (this.failures.length < mostNoted) this.failures.push(what)
  }
}

/** Again until it is acknowledged: for what changes nothing. */
export async function insist<T>(ask: () => Promise<T>, patienceMs: number): Promise<T> {
  const giveUpAt = performance.now() + patienceMs
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof NotDone) || performance.now() > giveUpAt) throw error
      await pause(retryMs)
    }
  }
}
