// What Go's decoder says of text that is no JSON: clients show these words, and tests of theirs look for them.

type Expects = 'value' | 'item or ]' | 'name or }' | 'name' | 'colon' | 'comma' | 'end'

const blank = new Set([' ', '\t', '\r', '\n'])
const words = ['true', 'false', 'null']

/** `'trailing'` where a whole value is followed by something; undefined where it is one value and nothing else. */
export function syntaxProblem(text: string): string | undefined {
  return new Scanner(text).run()
}

class Scanner {
  readonly #text: string
  readonly #open: ('{' | '[')[] = []
  #at = 0
  #expects: Expects = 'value'

  constructor(text: string) {
    this.#text = text
  }

  run(): string | undefined {
    for (;;) {
      while (blank.has(this.#text[this.#at] ?? '')) this.#at++
      if (this.#expects === 'end') return this.#at < this.#text.length ? 'trailing' : undefined
      const problem = this.#step()
      if (problem !== undefined) return problem
    }
  }

  #step(): string | undefined {
    const letter = this.#text[this.#at]
    switch (this.#expects) {
      case 'item or ]':
        return letter === ']' ? this.#close() : this.#value(letter)
      case 'value':
        return this.#value(letter)
      case 'name or }':
        if (letter === '}') return this.#close()
        return letter === '"' ? this.#name() : this.#invalid('looking for beginning of object key string')
      case 'name':
        return letter === '"' ? this.#name() : this.#invalid('looking for beginning of object key string')
      case 'colon':
        return letter === ':' ? this.#take('value') : this.#invalid('after object key')
      default:
        return this.#afterValue(letter)
    }
  }

  #afterValue(letter: string | undefined): string | undefined {
    const isObject = this.#open.at(-1) === '{'
    if (letter === ',') return this.#take(isObject ? 'name' : 'value')
    if (letter === (isObject ? '}' : ']')) return this.#close()
    return this.#invalid(isObject ? 'after object key:value pair' : 'after array element')
  }

  #value(letter: string | undefined): string | undefined {
    if (letter === '{' || letter === '[') {
      this.#open.push(letter)
      return this.#take(letter === '{' ? 'name or }' : 'item or ]')
    }
    if (letter === '"') return this.#string() ?? this.#ended()
    const word = words.find(([first]) => first === letter)
    if (word !== undefined) return this.#word(word) ?? this.#ended()
    if (letter !== undefined && /[-0-9]/.test(letter)) return this.#number() ?? this.#ended()
    return this.#invalid('looking for beginning of value')
  }

  #name(): string | undefined {
    const problem = this.#string()
    this.#expects = 'colon'
    return problem
  }

  #string(): string | undefined {
    for (this.#at++; ; this.#at++) {
      const letter = this.#text[this.#at]
      if (letter === '"') return this.#take(this.#expects)
      if (letter === undefined || letter < ' ') return this.#invalid('in string literal')
      if (letter !== '\\') continue
      const escaped = this.#text[++this.#at]
      if (escaped === 'u') {
        for (let count = 0; count < 4; count++) {
          if (!/[0-9a-fA-F]/.test(this.#text[++this.#at] ?? '')) {
            return this.#invalid('in \\u hexadecimal character escape')
          }
        }
      } else if (escaped === undefined || !'"\\/bfnrt'.includes(escaped)) return this.#invalid('in string escape code')
    }
  }

  #word(word: string): string | undefined {
    for (const letter of word) {
      if (this.#text[this.#at] !== letter) return this.#invalid(`in literal ${word} (expecting ${quoted(letter)})`)
      this.#at++
    }
    return undefined
  }

  #number(): string | undefined {
    if (this.#text[this.#at] === '-') this.#at++
    if (this.#text[this.#at] === '0') this.#at++
    else if (!this.#digits()) return this.#invalid('in numeric literal')
    if (this.#text[this.#at] === '.') {
      this.#at++
      if (!this.#digits()) return this.#invalid('after decimal point in numeric literal')
    }
    if (/[eE]/.test(this.#text[this.#at] ?? '')) {
      this.#at++
      if (/[-+]/.test(this.#text[this.#at] ?? '')) this.#at++
      if (!this.#digits()) return this.#invalid('in exponent of numeric literal')
    }
    return undefined
  }

  #digits(): boolean {
    const start = this.#at
    while (/[0-9]/.test(this.#text[this.#at] ?? '')) this.#at++
    return this.#at > start
  }

  #take(expects: Expects): undefined {
    this.#at++
    this.#expects = expects
  }

  #close(): undefined {
    this.#open.pop()
    this.#at++
    this.#ended()
  }

  #ended(): undefined {
    this.#expects = this.#open.length === 0 ? 'end' : 'comma'
  }

  #invalid(where: string): string {
    const point = this.#text.codePointAt(this.#at)
    return point === undefined ? 'unexpected EOF' : `invalid character ${quoted(String.fromCodePoint(point))} ${where}`
  }
}

function quoted(letter: string): string {
  if (letter === "'") return "'\\''"
  return letter === '"' ? `'"'` : `'${JSON.stringify(letter).slice(1, -1)}'`
}
