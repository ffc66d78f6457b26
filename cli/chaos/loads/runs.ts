// Runs: every acknowledged one ends, and leaves its answer once.
import { setTimeout as pause } from 'node:timers/promises'
import { type Caller, insist } from '../caller.ts'
import { answerText } from '../stub-model.ts'
import { Load } from './load.ts'

const lookMs = 150
const watchMs = 8_000
/** A run whose node died is taken up when its lease has ended. */
const patienceMs = 90_000

interface Run {
  id: string
  thread_id: string
  status: string
  last_error: { message: string } | null
}

interface Message {
  run_id: string | null
  role: string
  content: { text: { value: string } }[]
}

const underWay = new Set(['queued', 'in_progress'])

export class RunLoad extends Load {
  readonly name = 'runs'
  readonly promise = 'every acknowledged run is completed, with one answer'
  readonly #caller: Caller
  readonly #runs: Run[] = []
  #assistant: string | undefined

  constructor(caller: Caller) {
    super()
    this.#caller = caller
  }

  get acknowledged(): number {
    return this.#runs.length
  }

  summary(): string {
    return `${this.#runs.length} begun`
  }

  protected async step(): Promise<void> {
    this.#assistant ??= (await this.#caller.ask<{ id: string }>('POST', '/v1/assistants', { model: 'stub' })).id
    const thread = { messages: [{ role: 'user', content: 'Note this.' }] }
    const run = await this.#caller.ask<Run>('POST', '/v1/threads/runs', { assistant_id: this.#assistant, thread })
    this.#runs.push(run)
    const leaveAt = performance.now() + watchMs
    while (!this.isStopped && performance.now() < leaveAt) {
      if (!underWay.has((await this.#look(run)).status)) return
      await pause(lookMs)
    }
  }

  protected async check(): Promise<void> {
    const giveUpAt = performance.now() + patienceMs
    for (const run of this.#runs) {
      let now = await insist(() => this.#look(run), patienceMs)
      while (underWay.has(now.status) && performance.now() < giveUpAt) {
        await pause(lookMs)
        now = await insist(() => this.#look(run), patienceMs)
      }
      if (now.status === 'completed') await this.#answers(run)
      else this.broken(`run ${run.id} is ${now.status}: ${now.last_error?.message ?? ''}`)
    }
  }

  #look({ id, thread_id }: Run): Promise<Run> {
    return this.#caller.ask<Run>('GET', `/v1/threads/${thread_id}/runs/${id}`)
  }

  async #answers({ id, thread_id }: Run): Promise<void> {
    const list = () => this.#caller.ask<{ data: Message[] }>('GET', `/v1/threads/${thread_id}/messages`)
    const { data } = await insist(list, patienceMs)
    const answers = data.filter(({ run_id, role }) => run_id === id && role === 'assistant')
    const texts = answers.map(({ content }) => content[0]?.text.value)
    if (texts.length !== 1 || texts[0] !== answerText) this.broken(`run ${id} left ${JSON.stringify(texts)}`)
  }
}
