// The words of the source, and how they go on behind what a value has of them. Bytes are given as letters of Latin-1.

/** What could still be so many spans says nothing yet. */
const maxSpans = 64
/** As far as it has to be seen how a span goes on. */
const onwardBytes = 32

/** How one span goes on. */
export interface Onward {
  rest: string
  /** In the middle of a word or a number: no value ends here. */
  isInWord: boolean
}

export class SourceWords {
  readonly #bytes: string
  readonly #kinds: Uint8Array
  /** Where words begin, by their first byte. */
  readonly #starts: number[][] = Array.from({ length: 256 }, () => [])

  constructor(text: string) {
    const bytes = Buffer.from(text)
    this.#bytes = bytes.toString('latin1')
    this.#kinds = kindsOf(bytes)
    for (const [at, byte] of bytes.entries()) {
      if (this.#kinds[at] === ofWord && !this.#isInWord(at)) this.#starts[byte]?.push(at)
    }
  }

  /** Of the spans that begin with a word and are what is written so far. */
  onward(written: string): Onward[] {
    const found: Onward[] = []
    for (const start of this.#starts[written.charCodeAt(0)] ?? []) {
      if (!this.#bytes.startsWith(written, start)) continue
      if (found.length === maxSpans) return []
      const at = start + written.length
      const isInWord = this.#isInWord(at) || written.endsWith(' ')
      found.push({ rest: this.#bytes.slice(at, at + onwardBytes), isInWord })
    }
    return found
  }

  /** Whether what is at this place goes on with the word before it. */
  #isInWord(at: number): boolean {
    const [before, here, after] = [this.#kinds[at - 1], this.#kinds[at], this.#kinds[at + 1]]
    if (here === ofWord) return before === ofWord || (before === joining && this.#kinds[at - 2] === ofWord)
    return here === joining && before === ofWord && after === ofWord
  }
}

const [apart, ofWord, joining] = [0, 1, 2]
/** Between letters or digits they belong to the word: `hook_v3.stl`, `O'Neill`, `13:45`. */
const joiners = "-_.,:'@/&+"

const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  const letter = String.fromCharCode(byte)
  if (byte >= 0x80 || /[0-9A-Za-z]/.test(letter)) return ofWord
  return joiners.includes(letter) ? joining : apart
})

/** Of each byte. */
function kindsOf(bytes: Uint8Array): Uint8Array {
  const found = bytes.map((byte) => kinds[byte] ?? apart)
  for (let at = 0; at < bytes.length; at++) {
    const length = markBytes(bytes[at] ?? 0, bytes[at + 1] ?? 0)
    if (length > 0) found.fill(apart, at, at + length)
  }
  return found
}

/** Marks and signs beyond ASCII, by how UTF-8 begins them: `“`, `—`, `€`, `«`, `。`. */
function markBytes(first: number, second: number): number {
  if (first === 0xc2) return 2
  return (first === 0xe2 && second <= 0xaf) || (first === 0xe3 && second === 0x80) ? 3 : 0
}
