// Finds where a JSON object ends that comes in pieces.

export class JsonObjectEnd {
  #depth = 0
  #inString = false
  #isEscaped = false

  /** How much of the next piece still belongs to the object; undefined: all of it, and more to come. */
  find(piece: string): number | undefined {
    for (let at = 0; at < piece.length; at += 1) {
      this.#see(piece.charAt(at))
      if (this.#depth === 0) return at + 1
    }
    return undefined
  }

  #see(char: string): void {
    if (this.#inString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (char === '\\') this.#isEscaped = true
      else if (char === '"') this.#inString = false
    } else if (char === '"') this.#inString = true
    else if (char === '{' || char === '[') this.#depth += 1
    else if (char === '}' || char === ']') this.#depth -= 1
  }
}
