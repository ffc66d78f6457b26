// Within JSON a text that goes in circles is not the end of the answer: a call that is broken off would be worth
// nothing. It is closed instead, and the rest is written as the form wants it.
import { CircleGuard } from './circle-guard.ts'
import { JsonPlace } from './copying/json-place.ts'

export class TextCircles {
  readonly #place = new JsonPlace()
  #guard = new CircleGuard()
  /** Of the text that is being written. */
  #tokens: number[] = []
  #texts = 0
  #circled = false

  /** This stands before the first token. */
  begin(bytes: Buffer): void {
    this.#place.push(bytes.toString('latin1'))
  }

  /** What should come next, now that this token was written: the end of a text, or of the list it stands in. */
  after(token: number, bytes: Buffer): '"' | ']' | undefined {
    this.#place.push(bytes.toString('latin1'))
    const { texts, isInText, isEscaped, isInList } = this.#place
    if (texts !== this.#texts) this.#follow(texts)
    if (!isInText) return this.#leave() && isInList ? ']' : undefined
    this.#tokens.push(token)
    this.#circled = this.#guard.closes(this.#tokens)
    return this.#circled && !isEscaped ? '"' : undefined
  }

  /** Whether what was just closed went in circles. */
  #leave(): boolean {
    const circled = this.#circled
    this.#circled = false
    return circled
  }

  #follow(texts: number): void {
    this.#texts = texts
    this.#guard = new CircleGuard()
    this.#tokens = []
    this.#circled = false
  }
}
