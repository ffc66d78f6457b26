// Reads GBNF text by itself, apart from the code that wrote it, and makes up texts that the grammar allows.

type Part =
  | { kind: 'text'; text: string }
  | { kind: 'chars'; ranges: [number, number][] }
  | { kind: 'rule'; name: string }
  | { kind: 'choice'; ways: Part[][] }
  | { kind: 'repeat'; part: Part; min: number; max: number }

/** A number from 0 up to, but not including, 1. */
export type Random = () => number

const endless = 1e9

export class GbnfSampler {
  readonly #rules = new Map<string, Part>()
  readonly #heights = new Map<string, number>()

  constructor(grammar: string) {
    for (const line of grammar.trimEnd().split('\n')) {
      const [name = '', body = ''] = line.split(/ ::= (.*)/s)
      this.#rules.set(name, new GbnfReader(body).choice())
    }
    for (let before = -1; before !== this.#total(); ) {
      before = this.#total()
      for (const [name, part] of this.#rules) this.#heights.set(name, 1 + this.#height(part))
    }
  }

  /** The deeper, the more it takes the shortest way out. */
  sample(random: Random, depth = 12): string {
    return this.#sample({ kind: 'rule', name: 'root' }, random, depth)
  }

  #sample(part: Part, random: Random, depth: number): string {
    switch (part.kind) {
      case 'text':
        return part.text
      case 'chars': {
        const [from, to] = pick(part.ranges, random)
        // Mostly letters a person would type, but all of them now and then.
        const last = random() < 0.8 ? Math.min(to, Math.max(from, 0x7e)) : to
        return String.fromCodePoint(from + Math.floor(random() * (last - from + 1)))
      }
      case 'rule': {
        const rule = this.#rules.get(part.name)
        if (!rule) throw new Error(`The grammar has no rule ${part.name}.`)
        return this.#sample(rule, random, depth - 1)
      }
      case 'choice': {
        const shortest = part.ways.reduce((best, way) => (this.#length(way) < this.#length(best) ? way : best))
        const finite = part.ways.filter((way) => this.#length(way) < endless)
        const way = depth <= 0 ? shortest : pick(finite, random)
        return way.map((one) => this.#sample(one, random, depth)).join('')
      }
      case 'repeat': {
        const most = depth <= 0 ? part.min : Math.min(part.max, part.min + 4)
        const wanted = random() < 0.1 && part.max < 100 && depth > 0 ? part.max : most
        const count = part.min + Math.floor(random() * (wanted - part.min + 1))
        return Array.from({ length: count }, () => this.#sample(part.part, random, depth)).join('')
      }
    }
  }

  #length(way: Part[]): number {
    return way.reduce((most, part) => Math.max(most, this.#height(part)), 0)
  }

  #height(part: Part): number {
    if (part.kind === 'rule') return this.#heights.get(part.name) ?? endless
    if (part.kind === 'choice') return Math.min(...part.ways.map((way) => this.#length(way)))
    return part.kind === 'repeat' && part.min > 0 ? this.#height(part.part) : 0
  }

  #total(): number {
    return [...this.#heights.values()].reduce((sum, height) => sum + height, this.#heights.size)
  }
}

const pick = <T>(items: T[], random: Random): T => {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('There is nothing to pick from.')
  return item
}

class GbnfReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  choice(): Part {
    const ways = [this.#sequence()]
    while (this.#skip(/\|\s*/y)) ways.push(this.#sequence())
    return { kind: 'choice', ways }
  }

  #sequence(): Part[] {
    const parts: Part[] = []
    while (this.#at < this.#text.length && !'|)'.includes(this.#text[this.#at] ?? '')) {
      parts.push(this.#quantified(this.#unit()))
      this.#skip(/\s+/y)
    }
    return parts
  }

  #unit(): Part {
    const literal = this.#skip(/"((?:[^"\\]|\\.)*)"/y)
    if (literal)
      return {
        kind: 'text',
        text: letters(literal[1] ?? '')
          .map(({ char }) => char)
          .join(''),
      }
    const chars = this.#skip(/\[((?:[^\]\\]|\\.)*)\]/y)
    if (chars) return { kind: 'chars', ranges: ranges(chars[1] ?? '') }
    if (this.#skip(/\(\s*/y)) {
      const inside = this.choice()
      if (!this.#skip(/\)/y)) throw new Error(`A bracket is not closed in ${this.#text}`)
      return inside
    }
    const name = this.#skip(/[a-zA-Z0-9-]+/y)
    if (!name) throw new Error(`Cannot read the grammar at ${this.#text.slice(this.#at, this.#at + 40)}`)
    return { kind: 'rule', name: name[0] }
  }

  #quantified(part: Part): Part {
    if (this.#skip(/\?/y)) return { kind: 'repeat', part, min: 0, max: 1 }
    if (this.#skip(/\*/y)) return { kind: 'repeat', part, min: 0, max: endless }
    const counts = this.#skip(/\{(\d+)(?:,(\d+))?\}/y)
    if (!counts) return part
    return { kind: 'repeat', part, min: Number(counts[1]), max: Number(counts[2] ?? counts[1]) }
  }

  #skip(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found) this.#at += found[0].length
    return found ?? undefined
  }
}

function letters(source: string): { char: string; escaped: boolean }[] {
  const pattern = /\\x(..)|\\u(.{4})|\\U(.{8})|\\n|\\(.)|(.)/gsu
  return [...source.matchAll(pattern)].map(([whole, byte, short, long, other, plain]) => {
    const code = byte ?? short ?? long
    if (code !== undefined) return { char: String.fromCodePoint(Number.parseInt(code, 16)), escaped: true }
    return { char: whole === '\\n' ? '\n' : (other ?? plain ?? ''), escaped: plain === undefined }
  })
}

function ranges(source: string): [number, number][] {
  const all = letters(source)
  const result: [number, number][] = []
  for (let index = 0; index < all.length; index += 1) {
    const from = all[index]?.char.codePointAt(0) ?? 0
    const isRange = all[index + 1]?.char === '-' && !all[index + 1]?.escaped && index + 2 < all.length
    result.push([from, isRange ? (all[index + 2]?.char.codePointAt(0) ?? 0) : from])
    if (isRange) index += 2
  }
  return result
}
