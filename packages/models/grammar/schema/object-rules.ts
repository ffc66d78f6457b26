// Rules for objects: the named members in the order the schema names them, then others where it allows them.
import { choice, type Expression, never, nothing, optional, sequence, text } from '../gbnf.ts'
import { GrammarTooLarge } from '../grammar-builder.ts'
import { anyString, colon, comma } from '../json-text.ts'
import { repeat } from '../repetition.ts'
import { PatternNotSupported } from '../strings/pattern.ts'
import { stringOf } from '../strings/string-rules.ts'
import type { Rules } from './rules.ts'
import { type Conjunction, type ObjectPart, propertyConjunction, type Shape } from './shape.ts'
import { isImpossible } from './shape-values.ts'

const maxCountedMembers = 10_000
/** The sampler follows all of them at once behind each comma. */
const maxOptionalMembers = 500
/** So many required members are one rule. */
const membersPerRule = 16

interface Member {
  rule: Expression
  required: boolean
}

export function objectRule(rules: Rules, shape: Shape): Expression {
  const names = memberNames(shape)
  const members = names.map((name) => ({
    rule: sequence(
      text(JSON.stringify(name)),
      colon,
      rules.value(propertyConjunction(rules.reader.patterns, shape, name)),
    ),
    required: shape.required.includes(name),
  }))
  const other = otherMember(rules, shape, names)
  return sequence(text('{'), memberList(rules, shape, members, other), text('}'))
}

const memberNames = ({ objects, required }: Shape): string[] => [
  ...new Set([...objects.flatMap(({ properties }) => [...properties.keys()]), ...required]),
]

/**
 * The rule of a member after `index` others of which `count` are there. Counts are kept apart only as far as they
 * matter: for the comma, and for the number of members the schema asks for.
 */
function memberList(rules: Rules, shape: Shape, members: Member[], other: Expression | undefined): Expression {
  const { minProperties, maxProperties } = shape
  const needed = members.filter(({ required }) => required).length
  const min = minProperties <= needed ? 0 : minProperties
  const max = other === undefined && (maxProperties ?? 0) >= members.length ? undefined : maxProperties
  const most = Math.max(1, min, max === undefined ? 0 : max + 1)
  if (most * members.length > maxCountedMembers) throw new GrammarTooLarge('There are too many members to count.')
  if (members.length - needed > maxOptionalMembers) {
    throw new GrammarTooLarge(`An object has more than ${maxOptionalMembers} optional properties.`)
  }
  let next = Array.from({ length: Math.min(most, members.length) + 1 }, (_, count) =>
    lastMembers(rules, shape, other, count, min, max),
  )
  for (let index = members.length - 1; index >= 0; index -= 1) {
    const { rule, required } = members[index] ?? { rule: nothing, required: false }
    const isInline = required && members[index - 1]?.required !== false && index % membersPerRule !== 0
    next = Array.from({ length: Math.min(most, index) + 1 }, (_, count) => {
      const more = Math.min(count + 1, most)
      const fits = max === undefined || count < max
      const taken = fits ? sequence(count === 0 ? nothing : comma, rule, next[more] ?? never) : never
      const expression = choice(taken, required ? never : (next[count] ?? never))
      return isInline ? expression : rules.builder.add('members', expression)
    })
  }
  return next[0] ?? never
}

/** Members the schema does not name. */
function lastMembers(
  rules: Rules,
  shape: Shape,
  other: Expression | undefined,
  count: number,
  min: number,
  max: number | undefined,
): Expression {
  if (max !== undefined && count > max) return never
  let need = Math.max(0, min - count)
  if (!other) return need === 0 ? nothing : never
  if (need > 1) {
    // The same name twice is one member: no grammar can count names that differ.
    rules.reader.unsupported(shape.minPropertiesPath, "'minProperties' is not supported with free property names.")
    need = 1
  }
  const room = max === undefined ? undefined : max - count
  if (room === 0) return need === 0 ? nothing : never
  const further = sequence(comma, other)
  if (count > 0) return repeat(rules.builder, further, need, room)
  const list = sequence(other, repeat(rules.builder, further, 0, room === undefined ? undefined : room - 1))
  return need === 0 ? optional(list) : list
}

function otherMember(rules: Rules, shape: Shape, names: string[]): Expression | undefined {
  const patterns = shape.objects.flatMap((part) => part.patterns)
  const [pattern] = patterns
  const rests = (parts: readonly ObjectPart[]) => parts.flatMap(({ rest }) => rest ?? [])
  if (!pattern) {
    const conjunction = rests(shape.objects)
    return isImpossible(rules.reader, conjunction) ? undefined : member(rules, names, conjunction)
  }
  const isOwner = (part: ObjectPart) => part.patterns.length > 0
  const isOne = patterns.every(({ source }) => source === pattern.source)
  const isClosed = shape.objects.filter(isOwner).every(({ rest }) => rest?.schema === false)
  if (isOne && isClosed && !matchesAny(rules, pattern.source, names)) {
    const conjunction = [...patterns.map(({ node }) => node), ...rests(shape.objects.filter((part) => !isOwner(part)))]
    return isImpossible(rules.reader, conjunction) ? undefined : patternMember(rules, pattern, conjunction)
  }
  const what =
    "'patternProperties' is supported with one pattern, with 'additionalProperties': false, and apart from named properties only."
  rules.reader.unsupported(pattern.path, what)
  return member(rules, names, [])
}

const matchesAny = (rules: Rules, source: string, names: string[]): boolean =>
  names.some((name) => rules.reader.patterns.matches(source, name))

function patternMember(rules: Rules, pattern: ObjectPart['patterns'][number], conjunction: Conjunction): Expression {
  const { factory } = rules.reader.patterns
  const regex = rules.reader.patterns.read(pattern.source)
  const value = rules.value(conjunction)
  if (!(regex instanceof PatternNotSupported)) return sequence(stringOf(rules.builder, factory, regex), colon, value)
  rules.reader.unsupported(pattern.path, `the pattern ${regex.message}.`)
  return sequence(anyString(rules.builder), colon, value)
}

/** A member with any name but the given ones. */
function member(rules: Rules, names: string[], conjunction: Conjunction): Expression {
  const { factory } = rules.reader.patterns
  const others = factory.not(factory.or(names.map((name) => factory.literal(name))))
  const name = names.length === 0 ? anyString(rules.builder) : stringOf(rules.builder, factory, others)
  return rules.builder.add('member', sequence(name, colon, rules.value(conjunction)))
}
