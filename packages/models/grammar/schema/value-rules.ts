// Makes the rules of a schema: one for each set of schemas that must hold together, so that references come back to it.
import { choice, type Expression, never, text } from '../gbnf.ts'
import { type GrammarBuilder, GrammarTooLarge } from '../grammar-builder.ts'
import { anyInteger, anyNumber, anyString, anyValue, constant } from '../json-text.ts'
import { numberRange } from '../numbers/number-range.ts'
import { PatternNotSupported } from '../strings/pattern.ts'
import type { Regex } from '../strings/regex.ts'
import { stringOf } from '../strings/string-rules.ts'
import { arrayRule } from './array-rules.ts'
import { objectRule } from './object-rules.ts'
import type { Rules } from './rules.ts'
import type { Conjunction, JsonType, Shape } from './shape.ts'
import { conjunctionKey, type ShapeReader } from './shape-reader.ts'
import { allowedValues } from './shape-values.ts'

export class ValueRules implements Rules {
  readonly builder: GrammarBuilder
  readonly reader: ShapeReader
  /** Two schemas in one grammar (of two tools) keep their rules apart. */
  readonly #prefix: string

  constructor(builder: GrammarBuilder, reader: ShapeReader, prefix: string) {
    this.builder = builder
    this.reader = reader
    this.#prefix = prefix
  }

  value(conjunction: Conjunction): Expression {
    const key = conjunctionKey(conjunction)
    if (key === '') return anyValue(this.builder)
    return this.builder.shared(`${this.#prefix} schema ${key}`, 'v', () => {
      const shapes = this.reader.shapes(conjunction)
      const free = shapes.filter(({ values }) => values === undefined)
      return choice(this.#listed(shapes), ...free.map((shape) => this.#shape(shape)))
    })
  }

  /** The values of all enums: strings by their common beginnings, for the sampler follows every way there is. */
  #listed(shapes: readonly Shape[]): Expression {
    const values = shapes.flatMap((shape) => allowedValues(this.reader, shape))
    const strings = values.filter((value) => typeof value === 'string')
    const others = values.filter((value) => typeof value !== 'string')
    const { factory } = this.reader.patterns
    const known = factory.or(strings.map((value) => factory.literal(value)))
    return choice(
      strings.length === 0 ? never : stringOf(this.builder, factory, known),
      ...others.map((value) => constant(value)),
    )
  }

  #shape(shape: Shape): Expression {
    return choice(...[...shape.types].map((type) => this.#typed(type, shape)))
  }

  #typed(type: JsonType, shape: Shape): Expression {
    if (type === 'null') return text('null')
    if (type === 'boolean') return choice(text('true'), text('false'))
    if (type === 'number') return this.#number(shape)
    if (type === 'string') return this.#string(shape)
    return type === 'array' ? arrayRule(this, shape) : objectRule(this, shape)
  }

  #number(shape: Shape): Expression {
    const { whole, min, max, multipleOf, multipleOfPath } = shape
    if (!min && !max && !multipleOf) return whole ? anyInteger(this.builder) : anyNumber(this.builder)
    try {
      return numberRange(this.builder, { min, max, whole, multipleOf })
    } catch (error) {
      if (!(error instanceof GrammarTooLarge) || !multipleOf) throw error
      this.reader.unsupported(multipleOfPath, "'multipleOf' cannot be enforced for numbers this large.")
      return numberRange(this.builder, { min, max, whole })
    }
  }

  #string(shape: Shape): Expression {
    const { minLength, maxLength, patterns } = shape
    const { factory } = this.reader.patterns
    const read = patterns.flatMap(({ source, path }): Regex[] => {
      const regex = this.reader.patterns.read(source)
      if (!(regex instanceof PatternNotSupported)) return [regex]
      this.reader.unsupported(path, `the pattern ${regex.message}.`)
      return []
    })
    if (read.length === 0) return anyString(this.builder, minLength, maxLength)
    const length = factory.repeat(factory.anyChar, minLength, maxLength ?? Number.POSITIVE_INFINITY)
    const regex = factory.and([...read, length])
    try {
      const key = JSON.stringify([patterns.map(({ source }) => source), minLength, maxLength])
      return this.builder.shared(`text ${key}`, 'string', () => stringOf(this.builder, factory, regex))
    } catch (error) {
      if (!(error instanceof GrammarTooLarge)) throw error
      this.reader.unsupported(
        patterns[0]?.path ?? [],
        'the pattern, with the limits on its length, is too large to enforce.',
      )
      return anyString(this.builder, minLength, maxLength)
    }
  }
}
