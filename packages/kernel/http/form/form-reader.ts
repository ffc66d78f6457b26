// One form on its way in: from the request to the blob store, and the rules for what may come.
import type { Readable } from 'node:stream'
import { type BlobStore, BlobTooLarge, type StoredBlob } from '../../blobs/blobs.ts'
import { nearestName } from '../../config/nearest-name.ts'
import { readPieces } from '../body-bytes.ts'
import type { ErrorCatalogue } from '../error.ts'
import type { IncomingFile } from '../route.ts'
import { safeFilename } from './filename.ts'
import { FieldCollector, type FormFields } from './form-fields.ts'
import { FormInvalid } from './form-invalid.ts'
import { FormParser, type PartSink } from './form-parser.ts'
import { PartFile } from './part-file.ts'
import type { PartHead } from './part-head.ts'

/** What file systems take. */
const maxFilenameLength = 255

export interface FormRules {
  /** The form name of the file. */
  file: string
  maxFileBytes: number
  /** Names of the text fields, to guess what a wrong name meant. */
  known: readonly string[]
}

export interface FormContext {
  errors: ErrorCatalogue
  blobs: BlobStore
  idleMs: number
}

interface Upload {
  stream: PartFile
  stored: Promise<StoredBlob>
  filename: string
  mimeType: string
}

export class FormReader {
  readonly #parser: FormParser
  readonly #rules: FormRules
  readonly #context: FormContext
  readonly #fields: FieldCollector
  /** Aborted with what the blob store refused the file for. */
  readonly #refused = new AbortController()
  #upload: Upload | undefined

  constructor(boundary: string, rules: FormRules, context: FormContext) {
    this.#rules = rules
    this.#context = context
    this.#fields = new FieldCollector(context.errors, rules.file)
    this.#parser = new FormParser(boundary, (head) => this.#open(head))
  }

  get fields(): FormFields {
    return this.#fields.fields
  }

  /** Resolves when the last part was seen; the file may still be on its way to disk. */
  async read(source: Readable, maxBytes: number): Promise<void> {
    const limits = { maxBytes, idleMs: this.#context.idleMs, signal: this.#refused.signal }
    await readPieces(source, limits, (piece) => {
      this.#parser.push(piece)
      return this.#upload?.stream.room
    })
    this.#parser.end()
  }

  async file(): Promise<IncomingFile> {
    const { file: param } = this.#rules
    if (this.#upload === undefined) {
      const message = `Missing required parameter: '${param}'.`
      throw this.#context.errors.invalid({ kind: 'missing', place: 'body', param, message, expected: 'a file' })
    }
    const { stored, filename, mimeType } = this.#upload
    return { blob: await stored, filename, mimeType }
  }

  /** Gives up: a blob half written disappears with its stream, a whole one is removed. */
  async discard(error: unknown): Promise<void> {
    this.#upload?.stream.destroy(error instanceof Error ? error : new Error(String(error)))
    const blob = await this.#upload?.stored.catch(() => undefined)
    if (blob !== undefined) await this.#context.blobs.remove(blob.key)
  }

  #open(head: PartHead): PartSink {
    if (head.filename === undefined) return this.#fields.open(head)
    const filename = safeFilename(head.filename)
    if (filename.length > maxFilenameLength) {
      throw new FormInvalid(`The name of the file is longer than ${maxFilenameLength} characters.`)
    }
    this.#checkFile(head.name)
    const stream = new PartFile()
    stream.on('error', () => {})
    const { file, maxFileBytes } = this.#rules
    const stored = this.#context.blobs
      .write(stream, { maxBytes: maxFileBytes, ownsChunks: true })
      .catch((error: unknown) =>
        Promise.reject(error instanceof BlobTooLarge ? this.#context.errors.fileTooLarge(file, maxFileBytes) : error),
      )
    stored.catch((error: unknown) => this.#refused.abort(error))
    this.#upload = { stream, stored, filename, mimeType: head.mediaType }
    return stream
  }

  #checkFile(name: string): void {
    const { errors } = this.#context
    const { file, known } = this.#rules
    if (name !== file) {
      const nearest = nearestName(name, [file, ...known])
      const unknown = [nearest === undefined ? { name } : { name, nearest }]
      const message = `Unknown parameter: '${name}'. The file belongs in '${file}'.`
      throw errors.invalid({ kind: 'unknown', place: 'body', param: name, message, unknown })
    }
    if (this.#upload === undefined) return
    throw errors.invalid({ kind: 'other', place: 'body', param: file, message: 'Only one file can be sent.' })
  }
}
