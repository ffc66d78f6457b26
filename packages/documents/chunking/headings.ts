// Where in a document a place is, in words: its title, and the headings it stands under.
import { type Mark, oneLine } from '../marks.ts'

const separator = ' › '
/** Of each title, heading and header row; the whole is there to be read at a glance. */
const maxPartLength = 120
const maxHeaderLength = 240

interface Heading {
  level: number
  text: string
}

export class Headings {
  readonly #fileTitle: string
  #title: string | undefined
  #path: Heading[] = []
  /** A heading of the first level at the very beginning is the document's title, until there is another one. */
  #leading: Heading | undefined
  /** Header rows of the blocks that are open; undefined for those that have none. */
  #blocks: (string | undefined)[] = []
  #isBeginning = true

  constructor(filename: string) {
    this.#fileTitle = readableName(filename)
  }

  /** In the order of the text; `isAtBeginning`: no text stands before it. */
  pass(mark: Mark, isAtBeginning: boolean): void {
    if (mark.mark === 'title') this.#title ??= shortened(mark.text, maxPartLength)
    else if (mark.mark === 'heading') this.#enter(mark, isAtBeginning)
    else if (mark.mark === 'begin') this.#blocks.push(undefined)
    else if (mark.mark === 'end') this.#blocks.pop()
    else if (this.#blocks.length > 0) this.#blocks[this.#blocks.length - 1] = shortened(mark.text, maxHeaderLength)
  }

  toString(): string {
    const isTitled = this.#title === undefined && this.#leading !== undefined && this.#path[0] === this.#leading
    const parts = isTitled ? [] : [this.#title ?? this.#fileTitle]
    parts.push(...this.#path.map(({ text }) => text))
    const header = this.#blocks.findLast((row) => row !== undefined)
    if (header !== undefined) parts.push(header)
    return parts.filter((part, index) => part !== '' && !isSame(part, parts[index - 1])).join(separator)
  }

  #enter({ level, text }: Heading, isAtBeginning: boolean): void {
    const heading = { level, text: shortened(text, maxPartLength) }
    this.#path = [...this.#path.filter((above) => above.level < level), heading]
    if (level === 1 && isAtBeginning && this.#isBeginning) this.#leading = heading
    this.#isBeginning = false
  }
}

const isSame = (a: string, b: string | undefined): boolean => a.toLowerCase() === b?.toLowerCase()

function shortened(text: string, maxLength: number): string {
  const line = oneLine(text.slice(0, 4 * maxLength)).toWellFormed()
  if (line.length <= maxLength) return line
  const cut = line.slice(0, maxLength).toWellFormed()
  const lastSpace = cut.lastIndexOf(' ')
  return `${cut.slice(0, lastSpace > maxLength / 2 ? lastSpace : undefined)}…`
}

/** `reports/Q3_figures-final.v2.pdf` → `Q3 figures final v2`. */
function readableName(filename: string): string {
  const name = filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1)
  const bare = name.replace(/(?<=.)\.[a-z0-9]{1,8}$/i, '')
  return shortened(bare.replace(/[_+-]+|\.(?!\d)|%20/g, ' '), maxPartLength)
}
