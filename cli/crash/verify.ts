// Compares a server that was killed and started again with what its clients know, and settles what was under way.
import { randomInt } from 'node:crypto'
import type { Client } from './client.ts'
import { contentOf, type Ledger, type Upload } from './ledger.ts'
import { cancelUpload, completeUpload, sendPieces } from './load.ts'
import type { Stored } from './stored.ts'

const checksAtOnce = 8
const maxPendingUploads = 6
/** Of the keys and deletions of earlier rounds; the last look takes all. */
const sampled = 40

/** Everything that is wrong, a line each: acknowledged and not so, or there in part. */
export class Verification {
  readonly #client: Client
  readonly #ledger: Ledger
  readonly #stored: Stored
  readonly #problems: string[] = []

  constructor(client: Client, ledger: Ledger, stored: Stored) {
    this.#client = client
    this.#ledger = ledger
    this.#stored = stored
  }

  async run(extent: 'sample' | 'all'): Promise<string[]> {
    await this.#files()
    this.#uploads()
    await this.#keys(extent)
    await this.#deletions(extent)
    await this.#settleUploads()
    return this.#problems
  }

  async #files(): Promise<void> {
    const { files, leaving, deleted } = this.#ledger
    const listed = new Map(
      (await this.#client.json('GET', '/v1/files?limit=10000')).data.map((file) => [file.id, file]),
    )
    for (const id of files.keys()) if (!listed.has(id)) this.#problems.push(`file ${id} was acknowledged and is lost`)
    for (const id of listed.keys()) if (deleted.has(id)) this.#problems.push(`file ${id} was deleted and is back`)
    for (const { id, filename } of listed.values()) files.set(id, filename)
    for (const id of leaving) if (!listed.has(id)) deleted.add(id)
    leaving.clear()
    for (const id of listed.keys()) await this.#content(id)
  }

  /** Of acknowledged files and of those that were on their way at the kill: a file that is there is there in full. */
  async #content(id: string): Promise<void> {
    const expected = this.#ledger.sent.get(this.#ledger.files.get(id) ?? '')
    const { status, bytes } = await this.#client.send('GET', `/v1/files/${id}/content`)
    const { bytes: listedBytes } = await this.#client.json('GET', `/v1/files/${id}`)
    const found = contentOf(bytes)
    const whole = status === 200 && found.sha256 === expected?.sha256 && listedBytes === expected.bytes
    if (!whole) this.#problems.push(`file ${id} gave ${status} with ${found.bytes} of ${expected?.bytes} bytes`)
  }

  #uploads(): void {
    const { uploads, endedUploads } = this.#ledger
    const statuses = this.#stored.uploads()
    const parts = this.#stored.parts()
    for (const [id, how] of endedUploads) {
      if (statuses.get(id) !== how) this.#problems.push(`upload ${id} was ${how} and is ${statuses.get(id)}`)
    }
    const filenames = new Set(this.#ledger.files.values())
    for (const upload of [...uploads.values()]) {
      const status = statuses.get(upload.id)
      const known = upload.ending ? ['pending', 'completed', 'cancelled'] : ['pending']
      if (!status || !known.includes(status)) this.#problems.push(`upload ${upload.id} was pending and is ${status}`)
      // Nobody can have deleted the file of a completion that was never answered.
      if (filenames.has(upload.filename) !== (status === 'completed')) {
        this.#problems.push(`upload ${upload.id} is ${status}, and its file does not agree`)
      }
      if (status === 'pending') this.#parts(upload, parts)
      upload.ending = false
      if (status === 'completed' || status === 'cancelled') this.#ledger.ended(upload, status)
    }
  }

  #parts({ pieces }: Upload, stored: Set<string>): void {
    for (const { partId } of pieces) {
      if (partId !== undefined && !stored.has(partId))
        this.#problems.push(`part ${partId} was acknowledged and is lost`)
    }
  }

  /** Some go on and end well after the restart, some are given up, some stay for later rounds. */
  async #settleUploads(): Promise<void> {
    for (const upload of [...this.#ledger.uploads.values()]) {
      if (randomInt(2) === 0) await this.#goOn(upload)
      else if (this.#ledger.uploads.size > maxPendingUploads) await cancelUpload(this.#client, this.#ledger, upload)
    }
  }

  async #goOn(upload: Upload): Promise<void> {
    await sendPieces(this.#client, this.#ledger, upload)
    await this.#content(await completeUpload(this.#client, this.#ledger, upload))
    const { status } = await this.#client.send('POST', `/v1/uploads/${upload.id}/cancel`)
    if (status !== 400) this.#problems.push(`upload ${upload.id} was completed; cancelling gave ${status}`)
  }

  async #keys(extent: 'sample' | 'all'): Promise<void> {
    const { keys, leavingKeys, deletedKeys } = this.#ledger
    await this.#each(latest(keys, extent), async ([id, { kind, secret }]) => {
      const status = await this.#authenticate(secret)
      if (status !== accepted[kind]) this.#problems.push(`key ${id} was acknowledged; it gives ${status}`)
    })
    await this.#each(latest(deletedKeys, extent), async ([id, { secret }]) => {
      const status = await this.#authenticate(secret)
      if (status !== 401) this.#problems.push(`key ${id} was deleted; it gives ${status}`)
    })
    for (const [id, key] of leavingKeys) {
      const status = await this.#authenticate(key.secret)
      if (status === accepted[key.kind]) keys.set(id, key)
      else if (status === 401) deletedKeys.set(id, key)
      else this.#problems.push(`key ${id} was being deleted; it gives ${status}`)
    }
    leavingKeys.clear()
  }

  async #deletions(extent: 'sample' | 'all'): Promise<void> {
    const deleted = [...this.#ledger.deleted]
    await this.#each(extent === 'all' ? deleted : deleted.slice(-sampled), async (id) => {
      const { status } = await this.#client.send('GET', `/v1/files/${id}/content`)
      if (status !== 404) this.#problems.push(`file ${id} was deleted; its content gives ${status}`)
    })
  }

  async #authenticate(secret: string): Promise<number> {
    return (await this.#client.as(secret).send('GET', '/v1/models')).status
  }

  async #each<T>(items: T[], check: (item: T) => Promise<void>): Promise<void> {
    const queue = [...items]
    const lane = async () => {
      for (let item = queue.pop(); item !== undefined; item = queue.pop()) await check(item)
    }
    await Promise.all(Array.from({ length: checksAtOnce }, lane))
  }
}

/** An admin key is known, and refused for what is no administration. */
const accepted = { project: 200, admin: 403 }

/** The newest, which the last kill may have hit, and all when asked. */
function latest<V>(entries: Map<string, V>, extent: 'sample' | 'all'): [string, V][] {
  return extent === 'all' ? [...entries] : [...entries].slice(-sampled)
}
