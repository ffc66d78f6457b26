// Cuts a text that comes letter by letter into sentences. White space after a sentence is held back until what follows
// is known: a mark of the model's own may belong to the sentence before.
import { endLetters, endsSentence, endsUnspaced } from './sentences.ts'

export interface ReadText {
  /** Goes out now. */
  text: string
  /** The sentence that ended there, if one did. */
  ended?: string
  /** Goes out after its mark. */
  after?: string
}

const noText: ReadText = { text: '' }
const space = /\s/
const fence = /^\s*(?:```|~~~)/
// A mark in a heading or a table row breaks it.
const unmarkable = /^\s*[#|]/

export class SentenceReader {
  #sentence = ''
  /** Its last letters, at hand: they are looked at with each that comes. */
  #end = ''
  /** White space after the sentence; undefined while it goes on. */
  #gap: string | undefined
  #line = ''
  #isCode = false
  #isMarked = false

  next(letter: string): ReadText {
    if (this.#gap !== undefined) {
      if (space.test(letter)) {
        this.#gap += letter
        return noText
      }
      return this.#begin(letter)
    }
    if (letter === '\n') return this.#lineEnd()
    this.#line += letter
    if (this.#isCode) return { text: letter }
    if (space.test(letter) && endsSentence(this.#end)) {
      this.#gap = letter
      return noText
    }
    if (endsUnspaced(this.#end) && !endsUnspaced(this.#end + letter)) {
      this.#gap = ''
      return this.#begin(letter)
    }
    this.#grow(letter)
    return { text: letter }
  }

  /** Something that is no part of the sentence's words comes now. */
  skip(): ReadText {
    return this.#gap === undefined ? noText : this.#begin('')
  }

  /** A mark comes now: the sentence has its own. What was held back goes out before it. */
  marked(): string {
    const gap = this.#gap ?? ''
    if (gap.includes('\n')) this.#line = ''
    if (this.#gap !== undefined) this.#restart()
    else if (this.#sentence.trim() !== '') this.#isMarked = true
    return gap
  }

  end(): ReadText {
    const after = this.#gap ?? ''
    return { text: '', ...this.#ended(), after }
  }

  #begin(letter: string): ReadText {
    const gap = this.#gap ?? ''
    const read = { text: '', ...this.#ended(), after: gap + letter }
    this.#restart()
    this.#line = gap.includes('\n') ? letter : this.#line + letter
    this.#grow(letter)
    return read
  }

  #lineEnd(): ReadText {
    const isFence = fence.test(this.#line)
    if (isFence) this.#isCode = !this.#isCode
    if (isFence || this.#isCode || unmarkable.test(this.#line)) {
      this.#line = ''
      this.#restart()
      return { text: '\n' }
    }
    this.#gap = '\n'
    return noText
  }

  #ended(): { ended?: string } {
    const isPlain = !this.#isMarked && !this.#isCode && !fence.test(this.#line) && !unmarkable.test(this.#line)
    return isPlain && this.#sentence.trim() !== '' ? { ended: this.#sentence } : {}
  }

  #grow(letter: string): void {
    this.#sentence += letter
    this.#end = (this.#end + letter).slice(-endLetters)
  }

  #restart(): void {
    this.#sentence = ''
    this.#end = ''
    this.#gap = undefined
    this.#isMarked = false
  }
}
