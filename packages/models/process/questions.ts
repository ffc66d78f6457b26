// Question and answer with a model's process or thread, many at a time. The other side is `answerQuestions`.
import { ModelProblem, type ModelProblemDetail } from '../problem.ts'
import type { ModelHost } from './model-host.ts'

export type Asked<Question> = { id: number; question: Question } | { id: number; cancel: true }
export type Answered<Answer> =
  | { id: number; answer: Answer }
  | { id: number; problem: { message: string; detail: ModelProblemDetail } }

interface Open<Answer> {
  resolve(answer: Answer): void
  reject(error: unknown): void
}

export class Questions<Question, Answer> {
  readonly #host: ModelHost<Asked<Question>, Answered<Answer>>
  readonly #open = new Map<number, Open<Answer>>()
  #lastId = 0

  constructor(host: ModelHost<Asked<Question>, Answered<Answer>>) {
    this.#host = host
    host.onMessage((message) => this.#settle(message))
    host.onEnd((problem) => {
      for (const { reject } of this.#open.values()) reject(problem)
      this.#open.clear()
    })
  }

  async ask(question: Question, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted()
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    this.#open.set(id, { resolve, reject })
    const cancel = (): void => {
      if (!this.#open.delete(id)) return
      if (!this.#host.hasEnded) this.#host.send({ id, cancel: true })
      reject(signal.reason)
    }
    signal.addEventListener('abort', cancel, { once: true })
    try {
      this.#host.send({ id, question })
      return await promise
    } finally {
      signal.removeEventListener('abort', cancel)
      this.#open.delete(id)
    }
  }

  #settle(message: Answered<Answer>): void {
    const open = this.#open.get(message.id)
    if (open === undefined) return
    this.#open.delete(message.id)
    if ('answer' in message) open.resolve(message.answer)
    else open.reject(new ModelProblem(message.problem.message, message.problem.detail))
  }
}
