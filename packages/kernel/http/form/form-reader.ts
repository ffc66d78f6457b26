// One form on its way in: from the request to the blob store, and the rules for what may come.
import type { Readable } from 'node:stream'
import { type BlobStore, BlobTooLarge, type StoredBlob } from '../../blobs/blobs.ts'
import { nearestName } from '../../config/nearest-name.ts'
import { readPieces } from '../body/body-bytes.ts'
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
  /** Those of further files that may come. */
  optionalFiles: readonly string[]
  /** Of each file. */
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
  /** By form name. */
  readonly #uploads = new Map<string, Upload>()
  /** The file that is on its way. */
  #current: PartFile | undefined

  constructor(boundary: string, rules: FormRules, context: FormContext) {
    this.#rules = rules
    this.#context = context
    this.#fields = new FieldCollector(context.errors, [rules.file, ...rules.optionalFiles])
    this.#parser = new FormParser(boundary, (head) => this.#open(head))
  }

  get fields(): FormFields {
    return this.#fields.fields
  }

  /** Resolves when the last part was seen; files may still be on their way to disk. */
  async read(source: Readable, maxBytes: number): Promise<void> {
    const limits = { maxBytes, idleMs: this.#context.idleMs, signal: this.#refused.signal }
    await readPieces(source, limits, (piece) => {
      this.#parser.push(piece)
      return this.#current?.room
    })
    this.#parser.end()
  }

  async file(): Promise<IncomingFile> {
    const { file: param } = this.#rules
    const upload = this.#uploads.get(param)
    if (upload === undefined) {
      const message = `Missing required parameter: '${param}'.`
      throw this.#context.errors.invalid({ kind: 'missing', place: 'body', param, message, expected: 'a file' })
    }
    return incoming(upload)
  }

  async optionalFiles(): Promise<Record<string, IncomingFile>> {
    const { optionalFiles: names } = this.#rules
    const files: Record<string, IncomingFile> = {}
    for (const [name, upload] of this.#uploads) if (names.includes(name)) files[name] = await incoming(upload)
    return files
  }

  /** Gives up: a blob half written disappears with its stream, a whole one is removed. */
  async discard(error: unknown): Promise<void> {
    for (const { stream, stored } of this.#uploads.values()) {
      stream.destroy(error instanceof Error ? error : new Error(String(error)))
      const blob = await stored.catch(() => undefined)
      if (blob !== undefined) await this.#context.blobs.remove(blob.key)
    }
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
    const { maxFileBytes } = this.#rules
    const stored = this.#context.blobs
      .write(stream, { maxBytes: maxFileBytes, ownsChunks: true })
      .catch((error: unknown) =>
        Promise.reject(
          error instanceof BlobTooLarge ? this.#context.errors.fileTooLarge(head.name, maxFileBytes) : error,
        ),
      )
    stored.catch((error: unknown) => this.#refused.abort(error))
    this.#uploads.set(head.name, { stream, stored, filename, mimeType: head.mediaType })
    this.#current = stream
    return stream
  }

  #checkFile(name: string): void {
    const { errors } = this.#context
    const { file, optionalFiles, known } = this.#rules
    if (name !== file && !optionalFiles.includes(name)) {
      const nearest = nearestName(name, [file, ...optionalFiles, ...known])
      const unknown = [nearest === undefined ? { name } : { name, nearest }]
      const message = `Unknown parameter: '${name}'. The file belongs in '${file}'.`
      throw errors.invalid({ kind: 'unknown', place: 'body', param: name, message, unknown })
    }
    if (!this.#uploads.has(name)) return
    const message =
      optionalFiles.length === 0 ? 'Only one file can be sent.' : `Only one file can be sent as '${name}'.`
    throw errors.invalid({ kind: 'other', place: 'body', param: name, message })
  }
}

async function incoming({ stored, filename, mimeType }: Upload): Promise<IncomingFile> {
  return { blob: await stored, filename, mimeType }
}
