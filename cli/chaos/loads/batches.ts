// Batches: every acknowledged one ends, with one result for every line.
import { setTimeout as pause } from 'node:timers/promises'
import { type Caller, insist } from '../caller.ts'
import { Load } from './load.ts'

const lines = 60
const lookMs = 250
const watchMs = 15_000
const patienceMs = 120_000

interface Batch {
  id: string
  status: string
  output_file_id: string | null
  error_file_id: string | null
}

const underWay = new Set(['validating', 'in_progress', 'finalizing'])

export class BatchLoad extends Load {
  readonly name = 'batches'
  readonly promise =
    `every acknowledged batch is completed, with one result (an answer or an error) for each of ${lines} lines, and answers among them`
  readonly #caller: Caller
  readonly #batches: Batch[] = []
  /** Known once it was verified. */
  answeredLines = 0
  #failedLines = 0

  constructor(caller: Caller) {
    super()
    this.#caller = caller
  }

  get acknowledged(): number {
    return this.#batches.length
  }

  summary(): string {
    return `${this.#batches.length} begun, ${this.answeredLines} lines answered, ${this.#failedLines} told as failed`
  }

  protected async step(): Promise<void> {
    const form = new FormData()
    form.set('purpose', 'batch')
    form.set('file', new Blob([Array.from({ length: lines }, (_, at) => line(at)).join('\n')]), 'lines.jsonl')
    const file = await this.#caller.ask<{ id: string }>('POST', '/v1/files', form)
    const request = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' }
    const batch = await this.#caller.ask<Batch>('POST', '/v1/batches', request)
    this.#batches.push(batch)
    const leaveAt = performance.now() + watchMs
    while (!this.isStopped && performance.now() < leaveAt) {
      await pause(lookMs)
      if (!underWay.has((await this.#look(batch)).status)) return
    }
  }

  protected async check(): Promise<void> {
    const giveUpAt = performance.now() + patienceMs
    for (const batch of this.#batches) {
      let now = await insist(() => this.#look(batch), patienceMs)
      while (underWay.has(now.status) && performance.now() < giveUpAt) {
        await pause(lookMs)
        now = await insist(() => this.#look(batch), patienceMs)
      }
      if (now.status === 'completed') await this.#results(now)
      else this.broken(`batch ${batch.id} is ${now.status}`)
    }
  }

  #look({ id }: Batch): Promise<Batch> {
    return this.#caller.ask<Batch>('GET', `/v1/batches/${id}`)
  }

  async #results({ id, output_file_id, error_file_id }: Batch): Promise<void> {
    const answered = await this.#idsIn(output_file_id)
    const failed = await this.#idsIn(error_file_id)
    this.answeredLines += answered.length
    this.#failedLines += failed.length
    const found = [...answered, ...failed]
    if (found.length !== lines || new Set(found).size !== lines) {
      this.broken(`batch ${id} has ${found.length} results for ${new Set(found).size} of ${lines} lines`)
    }
    if (answered.length === 0) this.broken(`batch ${id} has errors alone`)
  }

  async #idsIn(file: string | null): Promise<string[]> {
    if (file === null) return []
    const read = () => this.#caller.bytes('GET', `/v1/files/${file}/content`)
    const text = (await insist(read, patienceMs)).toString().trimEnd()
    return text.split('\n').map((result) => (JSON.parse(result) as { custom_id: string }).custom_id)
  }
}

const line = (at: number): string =>
  JSON.stringify({
    custom_id: `line-${at}`,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'stub', messages: [{ role: 'user', content: `line ${at}` }] },
  })
