// A container's log from where its delivery stopped, through every rotation.
import { markOf } from '../resources/containers/logs/file-mark.ts'
import { LineCursor } from '../resources/containers/logs/line-cursor.ts'
import {
  closeQuietly,
  type LogFile,
  openLogFiles,
  openNewestFile,
  openNextFile,
} from '../resources/containers/logs/log-files.ts'

interface Place {
  mark: string
  offset: number
}

export class LogTail {
  readonly #path: string
  readonly #from: Place | undefined
  #file: LogFile | undefined
  #cursor: LineCursor | undefined
  #mark: string | undefined
  /** Lines were rotated away before they could be read; set anew by each `next`. */
  hasGap = false

  constructor(path: string, from: Place | undefined) {
    this.#path = path
    this.#from = from
  }

  /** Some more lines; undefined when all that is written has been read. */
  async next(): Promise<Buffer[] | undefined> {
    this.hasGap = false
    if (this.#cursor === undefined) await this.#begin()
    while (this.#cursor !== undefined && this.#file !== undefined) {
      const lines = await this.#cursor.next()
      if (lines !== undefined) return lines
      const following = await openNextFile(this.#path, this.#file)
      if (following === undefined) return undefined
      // Nothing is written to the old file any more: what is left of it comes first.
      const rest = await this.#cursor.next()
      if (rest !== undefined) {
        closeQuietly(following)
        return rest
      }
      this.hasGap ||= following.isAfterGap === true
      this.#use(following, 0)
    }
    return undefined
  }

  /** Behind the last line that was given out. */
  async place(): Promise<Place> {
    if (this.#file === undefined || this.#cursor === undefined) return this.#from ?? { mark: '', offset: 0 }
    this.#mark ??= (await markOf(this.#file)) ?? ''
    return { mark: this.#mark, offset: this.#cursor.lineEnd }
  }

  close(): void {
    if (this.#file !== undefined) closeQuietly(this.#file)
    this.#file = undefined
    this.#cursor = undefined
  }

  async #begin(): Promise<void> {
    const from = this.#from
    const files = from !== undefined && (await this.#beginInNewest(from)) ? [] : await openLogFiles(this.#path)
    if (files.length === 0) return
    let found: LogFile | undefined
    for (const file of files) if (from !== undefined && (await markOf(file)) === from.mark) found = file
    this.hasGap = from !== undefined && found === undefined
    const [oldest] = files
    const file = found ?? oldest
    for (const other of files) if (other !== file) closeQuietly(other)
    if (file !== undefined) this.#use(file, found === undefined ? 0 : (from?.offset ?? 0))
  }

  /** Mostly that is where it stopped; older files need not be looked at. */
  async #beginInNewest(from: Place): Promise<boolean> {
    const newest = await openNewestFile(this.#path)
    if (newest === undefined) return false
    const isThere = (await markOf(newest)) === from.mark
    if (isThere) this.#use(newest, from.offset)
    else closeQuietly(newest)
    return isThere
  }

  #use(file: LogFile, offset: number): void {
    if (this.#file !== undefined) closeQuietly(this.#file)
    this.#file = file
    this.#cursor = new LineCursor(file.handle, offset)
    this.#mark = undefined
  }
}
