// Text recognition by a program of the operator's: it is given the path of a PDF, and writes text, or a PDF with text, to
// its standard output.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '@atoll/kernel/telemetry/log'
import { type DocumentChunk, DocumentProblem, type DocumentSource, NoText } from '../documents.ts'
import type { DocumentLimits } from '../limits.ts'
import { problems } from '../problems.ts'
import { SpooledFile } from '../reading/spooled-file.ts'
import { sourcePieces } from '../source-pieces.ts'
import { argumentsFor, type OcrCommand } from './ocr-command.ts'
import { ocrOutput } from './ocr-process.ts'

export interface OcrSettings {
  command: OcrCommand
  /** For one file. */
  seconds: number
  /** Of each process of the program. */
  memoryMb: number
}

interface Parts {
  settings: OcrSettings
  limits: DocumentLimits
  log: Log
}

export class Ocr {
  readonly #parts: Parts
  readonly #running = new Set<Promise<unknown>>()
  readonly #closing = new AbortController()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** `read` gives the chunks of what was recognized; it is a file like any other. */
  async *chunks(
    source: DocumentSource,
    signal: AbortSignal,
    read: (recognized: DocumentSource) => AsyncIterable<DocumentChunk>,
  ): AsyncGenerator<DocumentChunk> {
    const text = await this.#recognized(source, AbortSignal.any([signal, this.#closing.signal]))
    try {
      if (text.size === 0) throw problems.noTextInPdf()
      // What it really is, text or a PDF, shows in its first bytes.
      const filename = `${source.filename.replace(/\.pdf$/i, '')}.txt`
      yield* read({ filename, bytes: text.size, read: () => text.stream(0, text.size) })
    } catch (error) {
      throw this.#problemOf(error)
    } finally {
      await text.close()
    }
  }

  /** Resolves when none of its programs is left. */
  async close(): Promise<void> {
    this.#closing.abort(problems.closed())
    await Promise.allSettled(this.#running)
  }

  async #recognized(source: DocumentSource, signal: AbortSignal): Promise<SpooledFile> {
    const running = this.#recognize(source, signal)
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }

  async #recognize(source: DocumentSource, signal: AbortSignal): Promise<SpooledFile> {
    const { settings, limits, log } = this.#parts
    signal.throwIfAborted()
    if (source.bytes > limits.fileBytes) throw problems.tooLarge(limits.fileBytes)
    const folder = await mkdtemp(join(tmpdir(), 'atoll-ocr-'))
    try {
      const input = join(folder, 'input.pdf')
      await writeFile(input, sourcePieces(source, limits.fileBytes), { signal, mode: 0o600 })
      const command = argumentsFor(settings.command, input)
      const task = { ...settings, command, folder, outputBytes: limits.fileBytes, log }
      return await SpooledFile.write(ocrOutput(task, signal))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  /** What is wrong with the program's output is not the file's fault. */
  #problemOf(error: unknown): unknown {
    if (!(error instanceof DocumentProblem) || error.code === 'server_error') return error
    if (error instanceof NoText) return problems.ocrFoundNothing()
    this.#parts.log.warn({ reason: error.message }, 'What the program for text recognition wrote cannot be read.')
    return problems.ocrFailed()
  }
}
