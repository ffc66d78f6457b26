// One form on its way in: a parser between the request and the blob store, and the rules for what may come.
import type { Readable } from 'node:stream'
import type { BusboyInstance } from '@fastify/busboy'
import { type BlobStore, BlobTooLarge, type StoredBlob } from '../blobs/blobs.ts'
import { nearestName } from '../config/nearest-name.ts'
import { BodyTooLarge } from './body-bytes.ts'
import { watchBody } from './body-watch.ts'
import type { ErrorCatalogue } from './error.ts'
import { safeFilename } from './filename.ts'
import { FieldCollector, type FormFields, maxFields } from './form-fields.ts'
import type { IncomingFile } from './route.ts'
import { Tail } from './tail.ts'

/** Long after the last byte was parsed: what has not ended by then never will. */
const stuckAfterMs = 500

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
  stream: Readable
  stored: Promise<StoredBlob>
  filename: string
  mimeType: string
}

export class FormReader {
  readonly #parser: BusboyInstance
  readonly #boundary: string
  readonly #rules: FormRules
  readonly #context: FormContext
  readonly #fields: FieldCollector
  readonly #tail = new Tail()
  #source: Readable | undefined
  #upload: Upload | undefined
  #stuck: NodeJS.Timeout | undefined
  #fail: (error: unknown) => void = () => {}

  constructor(parser: BusboyInstance, boundary: string, rules: FormRules, context: FormContext) {
    this.#parser = parser
    this.#boundary = boundary
    this.#rules = rules
    this.#context = context
    this.#fields = new FieldCollector(context.errors, rules.file)
  }

  get fields(): FormFields {
    return this.#fields.fields
  }

  /** Resolves when the last part was seen; the file may still be on its way to disk. */
  read(source: Readable, maxBytes: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const parser = this.#parser
    this.#source = source
    const stopWatch = watchBody(source, {
      maxBytes,
      idleMs: this.#context.idleMs,
      isHeldUp: () => parser.writableNeedDrain,
      onChunk: (chunk) => this.#tail.add(chunk),
      onEnd: () => this.#checkEnd(),
      onFailure: (error) => this.#fail(error instanceof BodyTooLarge ? this.#fileTooLarge() : error),
    })
    this.#fail = (error) => {
      stopWatch()
      clearTimeout(this.#stuck)
      source.unpipe(parser)
      source.pause()
      reject(error)
    }
    this.#listen(() => {
      clearTimeout(this.#stuck)
      resolve()
    })
    source.pipe(parser)
    return promise
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
    this.#source?.unpipe(this.#parser)
    this.#upload?.stream.destroy(error instanceof Error ? error : new Error(String(error)))
    const blob = await this.#upload?.stored.catch(() => undefined)
    if (blob !== undefined) await this.#context.blobs.remove(blob.key)
  }

  #listen(finished: () => void): void {
    const { errors } = this.#context
    const invalid = (reason: string) => this.#fail(errors.invalidMultipart(reason))
    this.#parser
      .on('error', (error: Error) => invalid(error.message.replace(/\.?$/, '.')))
      .on('file', (name, stream, filename, _encoding, type) => this.#takeFile(name, stream, filename, type))
      .on('field', (name, value, _isNameCut, isValueCut) => this.#takeField(name, value, isValueCut))
      .on('fieldsLimit', () => invalid(`There are more than ${maxFields} fields.`))
      .on('partsLimit', () => invalid(`There are more than ${maxFields} parts.`))
      .on('finish', finished)
  }

  /** The parser forgives a form that breaks off within a field; a broken upload must not look whole. */
  #checkEnd(): void {
    if (!this.#tail.includes(`--${this.#boundary}--`)) {
      this.#fail(this.#context.errors.invalidMultipart('The closing boundary is missing.'))
    } else this.#watchForStuckParser()
  }

  /** The parser waits for ever on a part whose headers never end: it tells nobody of such a part, so nobody reads it. */
  #watchForStuckParser(): void {
    this.#stuck = setTimeout(() => {
      const isWorking = this.#parser.writableLength > 0 || this.#upload?.stream.readableEnded === false
      if (isWorking) this.#watchForStuckParser()
      else this.#fail(this.#context.errors.invalidMultipart('The headers of a part are not complete.'))
    }, stuckAfterMs)
  }

  #takeField(name: string | undefined, value: string, isCut: boolean): void {
    try {
      this.#fields.add(name, value, isCut)
    } catch (error) {
      this.#fail(error)
    }
  }

  #takeFile(name: string | undefined, stream: Readable, filename: string | undefined, mimeType: string): void {
    stream.on('error', () => {})
    const refusal = this.#refusal(name)
    if (refusal !== undefined) {
      stream.resume()
      this.#fail(refusal)
      return
    }
    const stored = this.#context.blobs
      .write(stream, { maxBytes: this.#rules.maxFileBytes, ownsChunks: true })
      .catch((error: unknown) => Promise.reject(error instanceof BlobTooLarge ? this.#fileTooLarge() : error))
    stored.catch((error: unknown) => this.#fail(error))
    this.#upload = { stream, stored, filename: safeFilename(filename ?? ''), mimeType }
  }

  #fileTooLarge(): Error {
    return this.#context.errors.fileTooLarge(this.#rules.file, this.#rules.maxFileBytes)
  }

  #refusal(name: string | undefined): Error | undefined {
    const { errors } = this.#context
    if (!name) return errors.invalidMultipart('A part has no name.')
    const { file, known } = this.#rules
    if (name !== file) {
      const nearest = nearestName(name, [file, ...known])
      const unknown = [nearest === undefined ? { name } : { name, nearest }]
      const message = `Unknown parameter: '${name}'. The file belongs in '${file}'.`
      return errors.invalid({ kind: 'unknown', place: 'body', param: name, message, unknown })
    }
    if (this.#upload === undefined) return undefined
    return errors.invalid({ kind: 'other', place: 'body', param: file, message: 'Only one file can be sent.' })
  }
}
