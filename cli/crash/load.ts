// Clients that store, upload in parts, complete, cancel and delete without pause, until they are stopped.
import { createHash, randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, Unanswered } from './client.ts'
import type { Ledger, Piece, Upload } from './ledger.ts'

const lanes = 6
const maxFiles = 60
const retryMs = 10

export class Load {
  readonly #client: Client
  readonly #ledger: Ledger
  readonly #lanes: Promise<void>[]
  #stopped = false

  constructor(client: Client, ledger: Ledger) {
    this.#client = client
    this.#ledger = ledger
    this.#lanes = Array.from({ length: lanes }, () => this.#work())
  }

  /** Every lane finishes what it is at, or learns that nobody answers. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#lanes)
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#client.json('GET', '/healthz') // costs the clients little while nobody is there
        while (!this.#stopped) await this.#step()
      } catch (error) {
        if (!(error instanceof Unanswered)) this.#ledger.wrongAnswers.push(String(error))
        await pause(retryMs)
      }
    }
  }

  #step(): Promise<void> {
    const dice = randomInt(100)
    if (this.#ledger.files.size > maxFiles || dice < 15) return this.#delete()
    return dice < 60 ? this.#create() : this.#upload()
  }

  async #create(): Promise<void> {
    const { filename, content } = this.#ledger.newFile(someSize())
    const { id } = await this.#client.createFile(filename, content)
    this.#ledger.stored(id, filename)
  }

  async #delete(): Promise<void> {
    const { files, leaving } = this.#ledger
    const id = [...files.keys()][randomInt(Math.max(1, files.size))]
    if (id === undefined) return this.#create()
    files.delete(id)
    leaving.add(id)
    await this.#client.json('DELETE', `/v1/files/${id}`)
    this.#ledger.gone(id)
  }

  async #upload(): Promise<void> {
    const { filename, content } = this.#ledger.newFile(1 + someSize())
    const { id } = await this.#client.createUpload(filename, content.length)
    const upload: Upload = { id, filename, content, pieces: cut(content.length), ending: false }
    this.#ledger.uploads.set(id, upload)
    await sendPieces(this.#client, this.#ledger, upload)
    const dice = randomInt(10)
    if (dice < 6) await completeUpload(this.#client, this.#ledger, upload)
    else if (dice < 8) await cancelUpload(this.#client, this.#ledger, upload)
  }
}

/** All pieces that are not acknowledged yet, at once. */
export async function sendPieces(client: Client, ledger: Ledger, { id, content, pieces }: Upload): Promise<void> {
  const send = async (piece: Piece) => {
    piece.partId = (await client.addPart(id, content.subarray(piece.start, piece.end))).id
    ledger.acknowledged.parts++
  }
  const sent = await Promise.allSettled(pieces.filter(({ partId }) => partId === undefined).map(send))
  for (const result of sent) if (result.status === 'rejected') throw result.reason
}

export async function completeUpload(client: Client, ledger: Ledger, upload: Upload): Promise<string> {
  upload.ending = true
  const part_ids = upload.pieces.map(({ partId }) => partId)
  const md5 = createHash('md5').update(upload.content).digest('hex')
  const request = randomInt(2) === 0 ? { part_ids } : { part_ids, md5 }
  const { file } = await client.json('POST', `/v1/uploads/${upload.id}/complete`, request)
  ledger.stored(file.id, upload.filename)
  ledger.ended(upload, 'completed')
  return file.id
}

export async function cancelUpload(client: Client, ledger: Ledger, upload: Upload): Promise<void> {
  upload.ending = true
  await client.json('POST', `/v1/uploads/${upload.id}/cancel`)
  ledger.ended(upload, 'cancelled')
}

/** Mostly small, some empty, some of a few megabytes. */
function someSize(): number {
  const dice = randomInt(10)
  if (dice === 0) return 0
  if (dice < 7) return randomInt(64 * 1024)
  return dice < 9 ? randomInt(512 * 1024) : randomInt(3 * 1024 * 1024)
}

function cut(bytes: number): Piece[] {
  const marks = [0, bytes, ...Array.from({ length: randomInt(4) }, () => randomInt(bytes + 1))].sort((a, b) => a - b)
  return marks.slice(1).map((end, index) => ({ start: marks[index] ?? 0, end }))
}
