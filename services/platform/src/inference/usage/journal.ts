// Usage on its way to the database, one line an event, in files of the data folder. A line is written by a system call
// before the call it tells of is answered, so it outlives this process, whatever ends it. It is not synced to the
// disk: when the whole machine loses its power, the events of the last moments may be lost.
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Instance, type Segment, segmentName } from './segment-files.ts'

/** So that one file is read back, and given to the database, in a moment. */
const maxLines = 5_000

export class UsageJournal {
  readonly #folder: string
  readonly #instance: Instance
  #count = 0
  #file: number | undefined
  /** What was written last is not whole. */
  #isCutShort = false
  #current: (Segment & { lines: string[] }) | undefined
  /** Has to call `cut`. */
  readonly #onFull: () => void

  constructor(folder: string, instance: Instance, onFull: () => void) {
    this.#folder = folder
    this.#instance = instance
    this.#onFull = onFull
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }

  /** Never throws: what the disk does not take is kept in memory. Returns what went wrong. */
  append(line: string): unknown {
    this.#current ??= this.#next()
    const segment = this.#current
    segment.lines.push(line)
    try {
      this.#write(segment, line)
      return undefined
    } catch (error) {
      segment.unwritten = true
      this.#close()
      this.#isCutShort = true
      return error
    } finally {
      if (segment.lines.length >= maxLines) this.#onFull()
    }
  }

  #write({ path }: Segment, line: string): void {
    this.#file ??= openSync(path, 'a', 0o600)
    // Half a line may stand there: it stays alone.
    const bytes = Buffer.from(`${this.#isCutShort ? '\n' : ''}${line}\n`)
    if (writeSync(this.#file, bytes) < bytes.length) throw new Error('The disk took only a part of a line.')
    this.#isCutShort = false
  }

  /** Ends the current file; what comes from now on goes to the next. Undefined when there is nothing. */
  cut(): Segment | undefined {
    const segment = this.#current
    this.#close()
    this.#isCutShort = false
    this.#current = undefined
    return segment
  }

  /** Returns what went wrong: the file is then read again at the next start, which changes nothing. */
  remove({ path, removable }: Segment): unknown {
    try {
      if (removable) rmSync(path, { force: true })
      return undefined
    } catch (error) {
      return error
    }
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  #next(): Segment & { lines: string[] } {
    const path = join(this.#folder, segmentName(this.#instance, ++this.#count))
    return { path, lines: [], unwritten: false, removable: true }
  }
}
