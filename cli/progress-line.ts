// How far something is, in one line: written over on a terminal, one below the other elsewhere.
export interface ProgressOutput {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
}

/** Also of terminals that do not tell their width. */
const defaultColumns = 80
const barWidth = 24

export class ProgressLine {
  readonly #output: ProgressOutput
  #isOpen = false

  constructor(output: ProgressOutput) {
    this.#output = output
  }

  get isTerminal(): boolean {
    return this.#output.isTTY ?? false
  }

  show(line: string): void {
    if (!this.isTerminal) {
      this.#output.write(`${line}\n`)
      return
    }
    this.#isOpen = true
    this.#output.write(`\r${line.slice(0, (this.#output.columns || defaultColumns) - 1)}\u001b[K`)
  }

  /** A line that stays. */
  note(text: string): void {
    this.close()
    this.#output.write(`${text}\n`)
  }

  /** Ends a line that was to be written over. */
  close(): void {
    if (this.#isOpen) this.#output.write('\n')
    this.#isOpen = false
  }

  /** On a terminal; nothing elsewhere. */
  bar(share: number): string {
    const filled = Math.floor(share * barWidth)
    return this.isTerminal ? `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ` : ''
  }
}

const linesEveryMs = 5_000

/** Of something that is looked at again and again: on a terminal each look is shown, elsewhere one every few seconds. */
export abstract class PacedProgress<Seen> {
  protected readonly line: ProgressLine
  protected readonly now: () => number
  #shownAt: number
  #shown = ''

  constructor(output: ProgressOutput, now: () => number = Date.now) {
    this.line = new ProgressLine(output)
    this.now = now
    this.#shownAt = now()
  }

  protected abstract text(seen: Seen): string

  show(seen: Seen): void {
    const text = this.text(seen)
    const isTooSoon = this.now() - this.#shownAt < linesEveryMs || text === this.#shown
    if (!this.line.isTerminal && isTooSoon) return
    this.#shownAt = this.now()
    this.#shown = text
    this.line.show(text)
  }

  /** A line that stays. */
  note(text: string): void {
    this.line.note(text)
  }

  /** Ends a line that was to be written over. */
  close(): void {
    this.line.close()
  }
}

/** Of the last `windowMs`, not of all the time. */
export class Speed {
  readonly #windowMs: number
  #marks: { at: number; done: number }[] = []

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  perSecond(done: number, now: number): number {
    this.#marks.push({ at: now, done })
    while (this.#marks.length > 2 && now - (this.#marks[0]?.at ?? now) > this.#windowMs) this.#marks.shift()
    const first = this.#marks[0] ?? { at: now, done }
    return Math.max(0, ((done - first.done) * 1000) / Math.max(1, now - first.at))
  }
}

export function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}
