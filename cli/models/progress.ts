// Shows a download: one line that is written over on a terminal, a line now and then elsewhere.
import type { PullProgress } from '@atoll/models/files/pull'
import { duration, ProgressLine, type ProgressOutput, Speed } from '../progress-line.ts'

const terminalEveryMs = 200
const linesEveryMs = 10_000
const speedWindowMs = 8_000

export class ProgressBar implements PullProgress {
  readonly #line: ProgressLine
  readonly #now: () => number
  #file = ''
  #bytes: number | undefined
  #done = 0
  #shownAt = 0
  #speed = new Speed(speedWindowMs)

  constructor(output: ProgressOutput, now: () => number = Date.now) {
    this.#line = new ProgressLine(output)
    this.#now = now
  }

  begin(file: string, bytes: number | undefined, done: number): void {
    this.#file = file
    this.#bytes = bytes
    this.#done = done
    this.#shownAt = this.#now()
    this.#speed = new Speed(speedWindowMs)
    this.#speed.perSecond(done, this.#shownAt)
    const size = bytes === undefined ? 'of unknown size' : megabytes(bytes)
    const earlier = done > 0 ? `, ${megabytes(done)} of it are here from before` : ''
    this.note(`Pulling ${file}, ${size}${earlier}`)
  }

  bytes(count: number): void {
    this.#done += count
    const now = this.#now()
    if (now - this.#shownAt < (this.#line.isTerminal ? terminalEveryMs : linesEveryMs)) return
    this.#shownAt = now
    this.#line.show(this.#text(now))
  }

  checking(): void {
    if (this.#file !== '' && this.#line.isTerminal) this.#line.show(this.#text(this.#now()))
    this.note('Checking it')
  }

  /** A line that stays. */
  note(text: string): void {
    this.#line.note(text)
  }

  /** Ends a line that was to be written over. */
  close(): void {
    this.#line.close()
  }

  #text(now: number): string {
    const perSecond = this.#speed.perSecond(this.#done, now)
    const speed = `${megabytes(perSecond)}/s`
    if (this.#bytes === undefined) return `  ${megabytes(this.#done)}  ${speed}`
    const share = Math.min(1, this.#done / this.#bytes)
    const left = perSecond > 0 ? `  ${duration((this.#bytes - this.#done) / perSecond)} left` : ''
    return `  ${this.#line.bar(share)}${Math.floor(share * 100)}%  ${megabytes(this.#done)}  ${speed}${left}`
  }
}

export function megabytes(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(2)} GB`
  return `${(bytes / 1e6).toFixed(bytes >= 1e7 ? 0 : 1)} MB`
}
