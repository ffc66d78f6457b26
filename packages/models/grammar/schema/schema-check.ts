// Looks a schema through before it is used: well formed, of bearable size, and (strict) with known keywords only.
import { annotations, type KeywordValue, keywordValues } from './keywords.ts'
import { resolvePointer } from './references.ts'
import { invalidSchema, type SchemaPath, type SchemaPlace, unsupportedSchema } from './schema-problem.ts'

const maxDepth = 32
const maxProperties = 1_000
const maxEnumValues = 1_000
const maxSchemas = 5_000
const maxPathLength = 256
const maxCount = 100_000
/** Of names, enum values and constants together. */
const maxNameCharacters = 120_000

const typeNames = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']

type Counted = 'schemas' | 'properties' | 'enumValues' | 'nameCharacters'

type JsonSchema = boolean | Record<string, unknown>

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'boolean' || isRecord(value)

export class SchemaCheck {
  readonly #place: SchemaPlace
  readonly #root: unknown
  readonly #seen: Record<Counted, number> = { schemas: 0, properties: 0, enumValues: 0, nameCharacters: 0 }

  readonly #visited = new Set<unknown>([true, false])
  readonly #references: { reference: string; path: SchemaPath }[] = []

  constructor(place: SchemaPlace, root: unknown) {
    this.#place = place
    this.#root = root
  }

  check(): void {
    this.#schema(this.#root, [], 0)
    // Only a part that was looked through may be referred to: not, say, one of the examples.
    for (const { reference, path } of this.#references) {
      const referred = resolvePointer(this.#root, reference)
      if (referred && this.#visited.has(referred.schema)) continue
      throw this.#invalid(path, `'${reference}' does not lead to a part of this schema, such as '#/$defs/name'.`)
    }
  }

  #schema(schema: unknown, path: SchemaPath, depth: number): void {
    if (!isSchema(schema)) throw this.#invalid(path, 'a schema must be an object or a boolean.')
    if (depth > maxDepth || path.length > maxPathLength) {
      throw this.#invalid(path, `the schema is nested more than ${maxDepth} levels deep.`)
    }
    this.#count('schemas', 1, maxSchemas, 'parts', path)
    this.#visited.add(schema)
    if (typeof schema === 'boolean') return
    for (const [keyword, value] of Object.entries(schema)) this.#keyword(keyword, value, [...path, keyword], depth)
  }

  #keyword(keyword: string, value: unknown, path: SchemaPath, depth: number): void {
    const kind = Object.hasOwn(keywordValues, keyword) ? keywordValues[keyword] : undefined
    if (kind === undefined) {
      if (this.#place.strict && !annotations.has(keyword)) {
        throw unsupportedSchema(this.#place, path, `'${keyword}' is not permitted: it cannot be enforced.`)
      }
      return
    }
    const checked = this.#subschemas(kind, value, path)
    if (checked === undefined) {
      this.#plainValue(keyword, kind, value, path)
      return
    }
    if (keyword === 'properties') {
      this.#count('properties', checked.length, maxProperties, 'properties', path)
      const names = checked.reduce((sum, [at]) => sum + String(at.at(-1)).length, 0)
      this.#count('nameCharacters', names, maxNameCharacters, 'characters in names and values', path)
    }
    const isNested = !['$defs', 'definitions', 'allOf', 'anyOf', 'oneOf'].includes(keyword)
    for (const [at, part] of checked) this.#schema(part, at, depth + (isNested ? 1 : 0))
  }

  /** The schemas a keyword holds; undefined when it holds none. */
  #subschemas(kind: KeywordValue, value: unknown, path: SchemaPath): [SchemaPath, unknown][] | undefined {
    if (kind === 'schema' || (kind === 'schema-or-schemas' && !Array.isArray(value))) return [[path, value]]
    if (kind === 'schemas' || kind === 'schema-or-schemas') {
      if (!Array.isArray(value)) throw this.#invalid(path, 'a list of schemas is expected.')
      if (value.length === 0 && kind === 'schemas') throw this.#invalid(path, 'the list must not be empty.')
      return value.map((part, index): [SchemaPath, unknown] => [[...path, index], part])
    }
    if (kind !== 'schema-map') return undefined
    if (!isRecord(value)) throw this.#invalid(path, 'an object of schemas is expected.')
    return Object.entries(value).map(([name, part]): [SchemaPath, unknown] => [[...path, name], part])
  }

  #plainValue(keyword: string, kind: KeywordValue, value: unknown, path: SchemaPath): void {
    const expected = wrongValue(kind, value)
    if (expected !== undefined) throw this.#invalid(path, `'${keyword}' must be ${expected}.`)
    if (kind === 'count' && (value as number) > maxCount) {
      throw this.#invalid(path, `'${keyword}' must be at most ${maxCount}.`)
    }
    if (kind === 'values') this.#count('enumValues', (value as unknown[]).length, maxEnumValues, 'enum values', path)
    if (kind === 'values' || kind === 'anything' || kind === 'names') {
      this.#count(
        'nameCharacters',
        JSON.stringify(value).length,
        maxNameCharacters,
        'characters in names and values',
        path,
      )
    }
    if (keyword === '$ref') this.#references.push({ reference: value as string, path })
  }

  #count(what: Counted, more: number, most: number, words: string, path: SchemaPath): void {
    this.#seen[what] += more
    if (this.#seen[what] > most) throw this.#invalid(path, `the schema has more than ${most} ${words} in all.`)
  }

  #invalid(path: SchemaPath, what: string) {
    return invalidSchema(this.#place, path, what)
  }
}

/** What the value should have been; undefined when it is right. */
function wrongValue(kind: KeywordValue, value: unknown): string | undefined {
  const isText = typeof value === 'string'
  const isTexts = Array.isArray(value) && value.every((part) => typeof part === 'string')
  const isNumber = typeof value === 'number' && Number.isFinite(value)
  if (kind === 'types') {
    const names = isText ? [value] : value
    const known = Array.isArray(names) && names.length > 0 && names.every((name) => typeNames.includes(name))
    return known ? undefined : `one of ${typeNames.join(', ')}, or a list of them`
  }
  if (kind === 'values') return Array.isArray(value) && value.length > 0 ? undefined : 'a list of at least one value'
  if (kind === 'count')
    return Number.isInteger(value) && (value as number) >= 0 ? undefined : 'a whole number, 0 or more'
  if (kind === 'number') return isNumber ? undefined : 'a number'
  if (kind === 'positive') return isNumber && value > 0 ? undefined : 'a number above 0'
  if (kind === 'text') return isText ? undefined : 'a string'
  if (kind === 'names') return isTexts ? undefined : 'a list of strings'
  if (kind === 'flag') return typeof value === 'boolean' ? undefined : 'true or false'
  return undefined
}
