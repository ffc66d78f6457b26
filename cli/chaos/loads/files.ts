// Files that are stored, read and deleted: what was acknowledged is there, whole, and what was deleted is not.
import { randomBytes, randomInt } from 'node:crypto'
import { type Content, contentOf } from '../../crash/ledger.ts'
import { type Caller, insist } from '../caller.ts'
import { Load } from './load.ts'

const kept = 80
const checksAtOnce = 4
const patienceMs = 20_000
/** One in so many is larger than a part of the bucket. */
const largeOneIn = 25
const largeBytes = 9 * 1024 * 1024
const smallBytes = 200_000

export class FileLoad extends Load {
  readonly name = 'files'
  readonly promise = 'every acknowledged file is there with its SHA-256, no deleted one is'
  readonly #caller: Caller
  readonly #stored = new Map<string, Content>()
  readonly #deleted = new Set<string>()
  #acknowledged = 0
  #read = 0

  constructor(caller: Caller) {
    super()
    this.#caller = caller
  }

  get acknowledged(): number {
    return this.#acknowledged
  }

  summary(): string {
    return `${this.#acknowledged} stored, ${this.#deleted.size} deleted, ${this.#read} read meanwhile`
  }

  protected async step(): Promise<void> {
    if (this.#stored.size > kept) await this.#delete()
    await this.#store()
    if (this.#acknowledged % 3 === 0) await this.#readOne()
  }

  protected async check(): Promise<void> {
    const list = () => this.#caller.ask<{ data: { id: string }[] }>('GET', '/v1/files?limit=10000')
    const { data } = await insist(list, patienceMs)
    const listed = new Set(data.map(({ id }) => id))
    for (const id of this.#deleted) if (listed.has(id)) this.broken(`file ${id} was deleted and is back`)
    const queue = [...this.#stored]
    const lane = async () => {
      for (let one = queue.pop(); one !== undefined; one = queue.pop()) {
        if (!listed.has(one[0])) this.broken(`file ${one[0]} was acknowledged and is lost`)
        else await this.#compare(...one)
      }
    }
    await Promise.all(Array.from({ length: checksAtOnce }, lane))
  }

  async #store(): Promise<void> {
    const content = randomBytes(randomInt(largeOneIn) === 0 ? largeBytes : randomInt(smallBytes))
    const form = new FormData()
    form.set('purpose', 'assistants')
    form.set('file', new Blob([content]), 'chaos.bin')
    const { id, bytes } = await this.#caller.ask<{ id: string; bytes: number }>('POST', '/v1/files', form)
    if (bytes !== content.length) this.broken(`file ${id} has ${bytes} of ${content.length} bytes`)
    this.#stored.set(id, contentOf(content))
    this.#acknowledged++
  }

  async #delete(): Promise<void> {
    const [id = ''] = this.#stored.keys()
    this.#stored.delete(id)
    await this.#caller.ask('DELETE', `/v1/files/${id}`)
    this.#deleted.add(id)
  }

  async #readOne(): Promise<void> {
    const all = [...this.#stored]
    const one = all[randomInt(Math.max(1, all.length))]
    if (one === undefined) return
    await this.#compare(...one)
    this.#read++
  }

  async #compare(id: string, expected: Content): Promise<void> {
    const read = () => this.#caller.bytes('GET', `/v1/files/${id}/content`)
    const found = contentOf(this.isStopped ? await insist(read, patienceMs) : await read())
    if (found.sha256 !== expected.sha256)
      this.broken(`file ${id}: ${found.bytes} of ${expected.bytes} bytes, or others`)
  }
}
