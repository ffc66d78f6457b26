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
    this.#kinds = kindsOf(text, bytes.length)
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
const inWords = /[\p{L}\p{M}\p{N}]/u
/** Written without spaces, where a word ends shows only in what it means: nothing says how far a value would go on. */
const unspaced = ['Han', 'Hira', 'Kana', 'Bopo', 'Thai', 'Laoo', 'Khmr', 'Mymr', 'Tibt']
const ofUnspaced = new RegExp(`[${unspaced.map((script) => `\\p{scx=${script}}`).join('')}]`, 'u')

const kindOf = (letter: string): number => {
  if (joiners.includes(letter)) return joining
  return inWords.test(letter) && !ofUnspaced.test(letter) ? ofWord : apart
}
const kindsOfAscii = Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)))

/** Of each byte. */
function kindsOf(text: string, length: number): Uint8Array {
  const found = new Uint8Array(length)
  let at = 0
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0
    const end = at + bytesOf(code)
    found.fill(kindsOfAscii[code] ?? kindOf(letter), at, end)
    at = end
  }
  return found
}

/** In UTF-8. */
function bytesOf(code: number): number {
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code < 0x10000 ? 3 : 4
}
