// The files of a place that holds backups: rows in chunks named by what is in them, blobs by their keys, and a manifest
// for every backup. What a chunk or a blob holds never changes, so backups share them.
import { createHash, createHmac, randomBytes, scrypt } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { blobFolder } from '../blobs/blob-key.ts'
import { Manifest } from './manifest.ts'
import type { Place } from './places/place.ts'
import { BackupProblem } from './problem.ts'
import { sealed } from './sealed.ts'

const formatName = 'format.json'
const formatVersion = 1
const maxChunkBytes = 256 * 1024 * 1024
const [compress, decompress] = [promisify(zstdCompress), promisify(zstdDecompress)]

interface Format {
  format: 'atoll-backup'
  version: number
  /** Of an encrypted place: how its key comes from the passphrase, and how to know a wrong one. */
  salt?: string
  check?: string
}

export class Vault {
  readonly #place: Place
  readonly #key: Buffer | undefined

  private constructor(place: Place, key: Buffer | undefined) {
    this.#place = place
    this.#key = key
  }

  static async open(place: Place, passphrase: string | undefined, mode: 'create' | 'existing'): Promise<Vault> {
    const format = (await readFormat(place)) ?? (await firstFormat(place, passphrase, mode))
    if (format.salt === undefined) {
      if (passphrase === undefined) return new Vault(place, undefined)
      throw new BackupProblem(`${place.description} is not encrypted, and a passphrase was given: use another place.`)
    }
    if (passphrase === undefined) {
      throw new BackupProblem(`${place.description} is encrypted: give --passphrase-file or ATOLL_BACKUP_PASSPHRASE.`)
    }
    const key = await keyOf(passphrase, format.salt)
    if (checkOf(key) !== format.check) throw new BackupProblem(`This is not the passphrase of ${place.description}.`)
    return new Vault(sealed(place, key), key)
  }

  get description(): string {
    return this.#place.description
  }

  /** Returns its name. `known` chunks are not written again. */
  async writeChunk(text: Buffer, known: ReadonlySet<string>): Promise<string> {
    const digest = this.#digest(text)
    if (known.has(digest)) return digest
    const packed = await compress(text, { params: { [constants.ZSTD_c_compressionLevel]: 3 } })
    await this.#writeWhole(chunkName(digest), packed)
    return digest
  }

  async readChunk(digest: string): Promise<Buffer> {
    const packed = await this.#readWhole(chunkName(digest))
    const text = await decompress(packed, { maxOutputLength: maxChunkBytes }).catch(() => undefined)
    if (text === undefined || this.#digest(text) !== digest) throw new BackupProblem(`${chunkName(digest)} is damaged.`)
    return text
  }

  writeBlob(key: string, bytes: number, source: Readable): Promise<void> {
    return this.#place.write(blobName(key), bytes, source)
  }

  async readBlob(key: string): Promise<Readable> {
    const source = await this.#place.read(blobName(key))
    if (source === undefined) throw new BackupProblem(`${blobName(key)} is missing.`)
    return source
  }

  /** The names of all backups, the oldest first. */
  async snapshots(): Promise<string[]> {
    const names = await this.#place.list('snapshots')
    return names.flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []))
  }

  /** The last thing that is written of a backup: without it there is none. */
  async writeManifest(manifest: Manifest): Promise<void> {
    await this.#writeWhole(manifestName(manifest.id), Buffer.from(`${JSON.stringify(manifest)}\n`))
  }

  async readManifest(id: string): Promise<Manifest> {
    const text = await this.#readWhole(manifestName(id))
    const parsed = Manifest.safeParse(parsedOrNothing(text))
    if (!parsed.success || parsed.data.id !== id) throw new BackupProblem(`${manifestName(id)} is damaged.`)
    return parsed.data
  }

  close(): Promise<void> {
    return this.#place.close()
  }

  #digest(bytes: Buffer): string {
    const hash = this.#key === undefined ? createHash('sha256') : createHmac('sha256', this.#key)
    return hash.update(bytes).digest('hex')
  }

  #writeWhole(name: string, bytes: Buffer): Promise<void> {
    return this.#place.write(name, bytes.length, Readable.from([bytes], { objectMode: false }))
  }

  async #readWhole(name: string): Promise<Buffer> {
    const source = await this.#place.read(name)
    if (source === undefined) throw new BackupProblem(`${name} is missing.`)
    return buffer(source)
  }
}

const chunkName = (digest: string): string => `chunks/${digest.slice(0, 2)}/${digest}`
const blobName = (key: string): string => `blobs/${blobFolder(key)}/${key}`
const manifestName = (id: string): string => `snapshots/${id}.json`

function parsedOrNothing(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString())
  } catch {
    return undefined
  }
}

async function readFormat(place: Place): Promise<Format | undefined> {
  const source = await place.read(formatName)
  if (source === undefined) return undefined
  const format = parsedOrNothing(await buffer(source)) as Partial<Format> | undefined
  if (format?.format !== 'atoll-backup') throw new BackupProblem(`${place.description} holds no backup of Atoll.`)
  if (format.version === formatVersion) return format as Format
  throw new BackupProblem(`${place.description} was written by another version of Atoll (format ${format.version}).`)
}

async function firstFormat(place: Place, passphrase: string | undefined, mode: 'create' | 'existing'): Promise<Format> {
  if (mode === 'existing') throw new BackupProblem(`There is no backup in ${place.description}.`)
  const format: Format = { format: 'atoll-backup', version: formatVersion }
  if (passphrase !== undefined) {
    format.salt = randomBytes(16).toString('hex')
    format.check = checkOf(await keyOf(passphrase, format.salt))
  }
  const text = Buffer.from(`${JSON.stringify(format)}\n`)
  await place.write(formatName, text.length, Readable.from([text], { objectMode: false }))
  return format
}

const scryptCost = { N: 2 ** 16, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }

const keyOf = (passphrase: string, salt: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(passphrase, Buffer.from(salt, 'hex'), 32, scryptCost, (error, key) => (error ? reject(error) : resolve(key)))
  })

const checkOf = (key: Buffer): string => createHmac('sha256', key).update('atoll-backup').digest('hex')
