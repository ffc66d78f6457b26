// Shows a download: one line that is written over on a terminal, a line now and then elsewhere.
import type { PullProgress } from '@atoll/models/files/pull'

export interface ProgressOutput {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
}

const terminalEveryMs = 200
const linesEveryMs = 10_000
/** The speed is that of the last seconds, not of all the time. */
const speedWindowMs = 8_000
const barWidth = 24

export class ProgressBar implements PullProgress {
  readonly #output: ProgressOutput
  readonly #now: () => number
  #file = ''
  #bytes: number | undefined
  #done = 0
  #shownAt = 0
  #open = false
  #marks: { at: number; done: number }[] = []

  constructor(output: ProgressOutput, now: () => number = Date.now) {
    this.#output = output
    this.#now = now
  }

  begin(file: string, bytes: number | undefined, done: number): void {
    this.#file = file
    this.#bytes = bytes
    this.#done = done
    this.#marks = [{ at: this.#now(), done }]
    const size = bytes === undefined ? 'of unknown size' : megabytes(bytes)
    const earlier = done > 0 ? `, ${megabytes(done)} of it are here from before` : ''
    this.note(`Pulling ${file}, ${size}${earlier}`)
    this.#shownAt = this.#now()
  }

  bytes(count: number): void {
    this.#done += count
    const now = this.#now()
    if (now - this.#shownAt < (this.#output.isTTY ? terminalEveryMs : linesEveryMs)) return
    this.#shownAt = now
    this.#show(this.#line(now))
  }

  checking(): void {
    if (this.#file !== '' && this.#output.isTTY) this.#show(this.#line(this.#now()))
    this.note('Checking it')
  }

  /** A line that stays. */
  note(text: string): void {
    this.close()
    this.#output.write(`${text}\n`)
  }

  /** Ends a line that was to be written over. */
  close(): void {
    if (this.#open) this.#output.write('\n')
    this.#open = false
  }

  #show(line: string): void {
    if (!this.#output.isTTY) {
      this.#output.write(`${line}\n`)
      return
    }
    this.#open = true
    this.#output.write(`\r${line.slice(0, (this.#output.columns ?? 80) - 1)}\u001b[K`)
  }

  #line(now: number): string {
    this.#marks.push({ at: now, done: this.#done })
    while (this.#marks.length > 2 && now - (this.#marks[0]?.at ?? now) > speedWindowMs) this.#marks.shift()
    const first = this.#marks[0] ?? { at: now, done: this.#done }
    const perSecond = Math.max(0, ((this.#done - first.done) * 1000) / Math.max(1, now - first.at))
    const speed = `${megabytes(perSecond)}/s`
    if (this.#bytes === undefined) return `  ${megabytes(this.#done)}  ${speed}`
    const share = Math.min(1, this.#done / this.#bytes)
    const filled = Math.floor(share * barWidth)
    const bar = this.#output.isTTY ? `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ` : ''
    const left = perSecond > 0 ? `  ${duration((this.#bytes - this.#done) / perSecond)} left` : ''
    return `  ${bar}${Math.floor(share * 100)}%  ${megabytes(this.#done)}  ${speed}${left}`
  }
}

export function megabytes(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(2)} GB`
  return `${(bytes / 1e6).toFixed(bytes >= 1e7 ? 0 : 1)} MB`
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}
