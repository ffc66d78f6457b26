// Cuts a text that is still being written into pieces that can be spoken: sentences, and parts of long ones.

/** The first piece may end at a comma from here on: the sooner it is spoken the better. */
const firstClauseLetters = 30
const clauseLetters = 140
/** A piece is never longer, whatever it is made of. */
const maxLetters = 400

const sentenceEnd = /[.!?…]+["'”’)\]]*(?=\s)|[。！？]|\n+/g
const clauseEnd = /[,;:–—](?=\s)/g
const abbreviation = /(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|No|Sr|Jr)|\b[A-Z]|^\d+)\.$/

export class Sentences {
  #rest = ''
  #isFirst = true

  /** What can be spoken now. */
  push(text: string): string[] {
    this.#rest += text
    const pieces: string[] = []
    for (let end = this.#nextEnd(); end > 0; end = this.#nextEnd()) pieces.push(...this.#take(end))
    return pieces
  }

  end(): string[] {
    return this.#take(this.#rest.length)
  }

  #take(end: number): string[] {
    const piece = this.#rest.slice(0, end)
    this.#rest = this.#rest.slice(end)
    if (piece.trim() === '') return []
    this.#isFirst = false
    return [piece]
  }

  /** 0: not yet. */
  #nextEnd(): number {
    const text = this.#rest
    for (const match of text.matchAll(sentenceEnd)) {
      const end = match.index + match[0].length
      if (text.slice(0, end).trim() !== '' && !abbreviation.test(text.slice(0, end).trim())) return end
    }
    const least = this.#isFirst ? firstClauseLetters : clauseLetters
    for (const match of text.matchAll(clauseEnd)) {
      if (match.index + 1 >= least) return match.index + 1
    }
    if (text.length < maxLetters) return 0
    const space = text.lastIndexOf(' ', maxLetters)
    return space > 0 ? space : maxLetters
  }
}

/** A smile or a dash by itself has no sound. */
export const isSpeakable = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)
