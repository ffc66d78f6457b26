// The rules of JSON texts that all grammars share. Written compactly, with at most one space after `:` and `,`, so that
// a model cannot run away in whitespace.
import { type CharRange, chars, choice, type Expression, many, optional, sequence, text, times } from './gbnf.ts'
import type { GrammarBuilder } from './grammar-builder.ts'
import { repeat } from './repetition.ts'

/** More digits than a double can tell apart would only be lost. */
export const maxDigits = 15

/** What a JSON string may hold as it is: all but controls, the quote, the backslash and halves of surrogate pairs. */
export const rawChars: CharRange[] = [[0x20, 0x21], [0x23, 0x5b], [0x5d, 0xd7ff], [0xe000, 0x10ffff]] // biome-ignore format: a table

export const digit = chars([0x30, 0x39])
export const nonZeroDigit = chars([0x31, 0x39])
export const space = optional(text(' '))
export const comma = sequence(text(','), space)
export const colon = sequence(text(':'), space)
const quote = text('"')

export const quoted = (inside: Expression): Expression => sequence(quote, inside, quote)

/** One code point of a string, in any way JSON can write it. */
function stringChar(builder: GrammarBuilder): Expression {
  return builder.shared('char', 'char', () => {
    const hex = chars([0x30, 0x39], [0x41, 0x46], [0x61, 0x66])
    const d = chars([0x44, 0x44], [0x64, 0x64])
    const basic = sequence(chars([0x30, 0x39], [0x41, 0x43], [0x45, 0x46], [0x61, 0x63], [0x65, 0x66]), hex, hex, hex)
    const belowSurrogates = sequence(d, chars([0x30, 0x37]), hex, hex)
    const high = sequence(d, chars([0x38, 0x39], [0x41, 0x42], [0x61, 0x62]), hex, hex)
    const low = sequence(d, chars([0x43, 0x46], [0x63, 0x66]), hex, hex)
    const unicode = sequence(text('u'), choice(basic, belowSurrogates, sequence(high, text('\\u'), low)))
    const short = chars(...[...'"\\/bfnrt'].map((char): CharRange => [char.charCodeAt(0), char.charCodeAt(0)]))
    return choice(chars(...rawChars), sequence(text('\\'), choice(short, unicode)))
  })
}

/** Any string, or one of so many code points. */
export function anyString(builder: GrammarBuilder, min = 0, max?: number): Expression {
  return builder.shared(`string ${min} ${max}`, 'string', () => quoted(repeat(builder, stringChar(builder), min, max)))
}

export function anyInteger(builder: GrammarBuilder): Expression {
  return builder.shared('integer', 'integer', () => sequence(optional(text('-')), wholePart))
}

export function anyNumber(builder: GrammarBuilder): Expression {
  return builder.shared('number', 'number', () => {
    const fraction = sequence(text('.'), times(digit, 1, maxDigits))
    const exponent = sequence(choice(text('e'), text('E')), optional(choice(text('+'), text('-'))), times(digit, 1, 2))
    return sequence(optional(text('-')), wholePart, optional(fraction), optional(exponent))
  })
}

const wholePart = choice(text('0'), sequence(nonZeroDigit, times(digit, 0, maxDigits - 1)))

export function anyValue(builder: GrammarBuilder): Expression {
  return builder.shared('value', 'value', () =>
    choice(
      anyObject(builder),
      anyArray(builder),
      anyString(builder),
      anyNumber(builder),
      text('true'),
      text('false'),
      text('null'),
    ),
  )
}

export function anyObject(builder: GrammarBuilder): Expression {
  return builder.shared('object', 'object', () => {
    const member = builder.shared('member', 'member', () => sequence(anyString(builder), colon, anyValue(builder)))
    return braced('{', member, '}')
  })
}

function anyArray(builder: GrammarBuilder): Expression {
  return builder.shared('array', 'array', () => braced('[', anyValue(builder), ']'))
}

const braced = (open: string, part: Expression, close: string): Expression =>
  sequence(text(open), optional(sequence(part, many(sequence(comma, part)))), text(close))

/** Exactly this value, its members in the order they have. */
export function constant(value: unknown): Expression {
  if (Array.isArray(value)) return sequence(text('['), list(value.map(constant)), text(']'))
  if (typeof value !== 'object' || value === null) return text(JSON.stringify(value))
  const members = Object.entries(value).map(([name, part]) =>
    sequence(text(JSON.stringify(name)), colon, constant(part)),
  )
  return sequence(text('{'), list(members), text('}'))
}

const list = (parts: Expression[]): Expression =>
  sequence(...parts.flatMap((part, index) => (index === 0 ? [part] : [comma, part])))
