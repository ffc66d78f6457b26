// Files within a message (`input_file`): models take none, so they are given the text that is in them.
import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { DocumentProblem, type DocumentSource, type Documents } from '@atoll/documents/documents'
import { HttpError } from '@atoll/kernel/http/error'
import type { ProjectCaller } from '../callers.ts'
import { responseErrors } from '../errors/responses.ts'
import type { Files } from '../resources/files/service.ts'

const megabyte = 1024 ** 2
const maxFileBytes = 32 * megabyte
/** Of the texts of all files of one request: more than any model reads. */
const maxLetters = 4 * megabyte
const readingSeconds = 120
/** What was read last is kept: a conversation shows its files to the model in every turn. */
const maxKeptLetters = 16 * megabyte
/** Contents that come with the request are known again by their digest, as long as that takes no time. */
const maxDigestedLetters = 2 * megabyte
const chunkTokens = 4096
const decodedLetters = megabyte

export interface GivenFile {
  file_id?: string | null | undefined
  filename?: string | null | undefined
  /** Base64, as it is or as a `data:` address. */
  file_data?: string | null | undefined
  file_url?: string | null | undefined
}

/** The text of a file, as the model reads it. */
export type ReadFile = (file: GivenFile) => Promise<string>

interface Parts {
  files: Pick<Files, 'content'>
  documents: Pick<Documents, 'chunks'>
}

interface Source extends DocumentSource {
  /** Undefined: read anew each time. */
  key: string | undefined
}

export class InputFiles {
  readonly #parts: Parts
  /** Oldest first. */
  readonly #kept = new Map<string, string>()
  #keptLetters = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** For one request. */
  readFor(caller: ProjectCaller): ReadFile {
    let left = maxLetters
    return async (given) => {
      const source = await this.#source(caller, given)
      if (source.bytes > maxFileBytes) throw responseErrors.fileTooLarge(source.filename, maxFileBytes / megabyte)
      const text = await this.#text(caller, source, left)
      left -= text.length
      return `[File ${JSON.stringify(source.filename)}]\n${text}\n[End of file ${JSON.stringify(source.filename)}]`
    }
  }

  async #source(caller: ProjectCaller, given: GivenFile): Promise<Source> {
    const { file_id, file_data, file_url } = given
    const ways = [file_id, file_data, file_url].filter((way) => way != null)
    if (ways.length !== 1) throw responseErrors.ambiguousFile()
    if (file_data != null) return sourceOfData(given.filename ?? undefined, file_data)
    if (file_id == null) throw responseErrors.fileFromOutside()
    const { file, read } = await this.#parts.files.content(caller, file_id).catch((error: unknown) => {
      throw error instanceof HttpError ? responseErrors.noSuchInputFile(file_id) : error
    })
    return { filename: file.filename, bytes: file.bytes, read: () => read(), key: file_id }
  }

  async #text(caller: ProjectCaller, source: Source, most: number): Promise<string> {
    const { key, filename } = source
    const known = key === undefined ? undefined : this.#kept.get(key)
    const text = known ?? (await this.#read(caller, source, most))
    if (text.length > most) throw responseErrors.fileTooLong(filename, maxLetters)
    if (key !== undefined) this.#keep(key, text)
    return text
  }

  async #read(caller: ProjectCaller, source: Source, most: number): Promise<string> {
    const sizes = { maxTokens: chunkTokens, overlapTokens: 0 }
    const signal = AbortSignal.timeout(readingSeconds * 1000)
    const texts: string[] = []
    let letters = 0
    try {
      for await (const { text } of this.#parts.documents.chunks(source, sizes, { signal, turn: caller.projectId })) {
        letters += text.length
        if (letters > most) throw responseErrors.fileTooLong(source.filename, maxLetters)
        texts.push(text)
      }
    } catch (error) {
      if (signal.aborted) throw responseErrors.fileTooSlow(source.filename, readingSeconds)
      if (!(error instanceof DocumentProblem)) throw error
      if (error.code === 'server_error') throw responseErrors.failed({ code: 'server_error', message: error.message })
      throw responseErrors.unreadableFile(source.filename, error.message)
    }
    return texts.join('').trim()
  }

  #keep(key: string, text: string): void {
    this.#forget(key)
    this.#kept.set(key, text)
    this.#keptLetters += text.length
    for (const oldest of this.#kept.keys()) {
      if (this.#keptLetters <= maxKeptLetters) return
      this.#forget(oldest)
    }
  }

  #forget(key: string): void {
    this.#keptLetters -= this.#kept.get(key)?.length ?? 0
    this.#kept.delete(key)
  }
}

const dataAddress = /^data:([^;,]*)[^,]*?(;base64)?,/
const base64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/

function sourceOfData(name: string | undefined, given: string): Source {
  const head = dataAddress.exec(given.slice(0, 1024))
  const data = head === null ? given : given.slice(head[0].length)
  const filename = name ?? (head?.[1] === 'application/pdf' ? 'file.pdf' : 'file')
  if ((head !== null && head[2] === undefined) || !base64.test(data)) throw responseErrors.badFileData(filename)
  const key = data.length > maxDigestedLetters ? undefined : createHash('sha256').update(filename).update(data).digest()
  const clean = /\s/.test(data) ? data.replaceAll(/\s+/g, '') : data
  const bytes = Buffer.byteLength(clean, 'base64')
  return { filename, bytes, read: () => decoded(clean), key: key?.toString('base64') }
}

/** Piece by piece: a long text takes a while. */
async function* decoded(data: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < data.length; at += decodedLetters) {
    yield Buffer.from(data.slice(at, at + decodedLetters), 'base64')
  }
}
