// The last lines of a log, however many there were: what a page holds of it stays small.

export const maxLines = 2_000
export const maxLineLetters = 2_000

export class LogBuffer {
  #lines: string[] = []
  #open = ''
  /** So many are not kept any more. */
  dropped = 0

  push(text: string): void {
    const lines = text.split('\n')
    lines[0] = this.#open + (lines[0] ?? '')
    this.#open = (lines.pop() ?? '').slice(0, maxLineLetters)
    for (const line of lines.length > maxLines ? this.#drop(lines) : lines) this.#lines.push(readable(line))
    // Not for each line: moving them all is what takes time.
    if (this.#lines.length > 2 * maxLines) this.#cut()
  }

  /** The newest last. */
  lines(): string[] {
    this.#cut()
    return this.#open === '' ? [...this.#lines] : [...this.#lines, readable(this.#open)]
  }

  #drop(lines: string[]): string[] {
    this.dropped += lines.length - maxLines
    return lines.slice(-maxLines)
  }

  #cut(): void {
    const over = this.#lines.length - maxLines
    if (over <= 0) return
    this.#lines = this.#lines.slice(over)
    this.dropped += over
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours and moves of the cursor are what is taken out
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: what no page can show
const controls = /[\u0000-\u0008\u000b-\u001f\u007f]/g

const readable = (line: string): string => {
  const short = line.length > maxLineLetters ? `${line.slice(0, maxLineLetters)} …` : line
  return short.replace(escapes, '').replace(controls, '')
}
