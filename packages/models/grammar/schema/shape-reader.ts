// Finds the shapes of schemas that must hold together: follows references, joins allOf, tells alternatives apart.
import { GrammarTooLarge } from '../grammar-builder.ts'
import { TextPatterns } from '../strings/text-patterns.ts'
import { type KeywordUse, keywordShapes } from './keyword-shapes.ts'
import { resolvePointer } from './references.ts'
import { invalidSchema, type SchemaPath, type SchemaPlace, unsupportedSchema } from './schema-problem.ts'
import { anyShape, type Conjunction, type SchemaNode, type Shape } from './shape.ts'
import { isImpossible } from './shape-values.ts'

const maxShapes = 1_000
const maxOneOf = 100
/** Schemas joined in all: a few alternatives that all refer to each other multiply without end. */
const maxSteps = 100_000

interface Pending {
  node: SchemaNode
  /** The schemas that led here without going into the value: meeting one again would never end. */
  from: readonly SchemaNode[]
}

export class ShapeReader {
  readonly patterns = new TextPatterns()
  readonly #place: SchemaPlace
  readonly #root: unknown
  readonly #nodes = new Map<unknown, SchemaNode>()
  readonly #known = new Map<string, Shape[]>()
  readonly #oneOfsSeen = new Set<SchemaNode>()
  #steps = 0
  readonly #use: Pick<KeywordUse, 'node' | 'unsupported'>

  constructor(place: SchemaPlace, root: unknown) {
    this.#place = place
    this.#root = root
    this.#use = {
      node: (schema, path) => this.node(schema, path),
      unsupported: (path, what) => this.unsupported(path, what),
    }
  }

  node(schema: unknown, path: SchemaPath): SchemaNode {
    const known = this.#nodes.get(schema)
    if (known) return known
    const node = { id: this.#nodes.size, schema: schema as SchemaNode['schema'], path }
    this.#nodes.set(schema, node)
    return node
  }

  /** What cannot be enforced is refused in strict mode and let pass otherwise. */
  unsupported(path: SchemaPath, what: string): void {
    if (this.#place.strict) throw unsupportedSchema(this.#place, path, what)
  }

  shapes(conjunction: Conjunction): readonly Shape[] {
    const key = conjunctionKey(conjunction)
    const known = this.#known.get(key)
    if (known) return known
    const pending = conjunction.map((node) => ({ node, from: [] }))
    const shapes = this.#expand(pending, anyShape, new Set()).filter(({ types }) => types.size > 0)
    this.#known.set(key, shapes)
    return shapes
  }

  #expand(pending: readonly Pending[], shape: Shape, done: ReadonlySet<SchemaNode>): Shape[] {
    const [next, ...others] = pending
    if (!next) return [shape]
    this.#steps += 1
    if (this.#steps > maxSteps) throw new GrammarTooLarge('The schema has too many alternatives in all.')
    const { node, from } = next
    if (from.includes(node)) throw invalidSchema(this.#place, node.path, 'the schema refers to itself without end.')
    if (done.has(node)) return this.#expand(others, shape, done)
    if (typeof node.schema === 'boolean') return node.schema ? this.#expand(others, shape, done) : []
    const nowDone = new Set(done).add(node)
    const line = [...from, node]
    const lead = (schema: unknown, ...path: (string | number)[]): Pending => ({
      node: this.node(schema, [...node.path, ...path]),
      from: line,
    })
    const joined = [...this.#conjuncts(node.schema, lead), ...others]
    const narrowed = this.#narrow(node, node.schema, shape)
    if (narrowed.types.size === 0) return []
    const found = this.#alternatives(node, node.schema, lead).reduce<Pending[][]>(
      (ways, alternatives) => this.#bounded(ways.flatMap((way) => alternatives.map((one) => [...way, one]))),
      [joined],
    )
    return this.#bounded(found.flatMap((way) => this.#expand(way, narrowed, nowDone)))
  }

  #narrow(node: SchemaNode, schema: Record<string, unknown>, shape: Shape): Shape {
    let result = shape
    for (const [keyword, value] of Object.entries(schema)) {
      const change = Object.hasOwn(keywordShapes, keyword) ? keywordShapes[keyword] : undefined
      if (!change) continue
      const use = { ...this.#use, shape: result, schema, path: [...node.path, keyword] }
      result = { ...result, ...change(value as never, use) }
    }
    return result
  }

  #conjuncts(schema: Record<string, unknown>, lead: Lead): Pending[] {
    const { $ref, allOf } = schema
    const all = Array.isArray(allOf) ? allOf.map((part, index) => lead(part, 'allOf', index)) : []
    const referred = typeof $ref === 'string' ? resolvePointer(this.#root, $ref) : undefined
    if (!referred) return all
    const { from } = lead(schema)
    return [{ node: this.node(referred.schema, referred.path), from }, ...all]
  }

  #alternatives(node: SchemaNode, schema: Record<string, unknown>, lead: Lead): Pending[][] {
    const lists = ['anyOf', 'oneOf'].map((keyword) => {
      const parts = schema[keyword]
      return Array.isArray(parts) ? parts.map((part, index) => lead(part, keyword, index)) : []
    })
    const [, oneOf = []] = lists
    if (oneOf.length > 1 && !this.#oneOfsSeen.has(node)) {
      this.#oneOfsSeen.add(node)
      this.#checkOneOf(node, oneOf)
    }
    return lists.filter((list) => list.length > 0)
  }

  /** Exactly one must hold: the same as any of them when no value has two of them. */
  #checkOneOf({ path }: SchemaNode, parts: readonly Pending[]): void {
    const at = [...path, 'oneOf']
    if (parts.length > maxOneOf) {
      this.unsupported(at, `'oneOf' has more than ${maxOneOf} alternatives.`)
      return
    }
    for (const [index, left] of parts.entries()) {
      for (const [other, right] of parts.entries()) {
        if (other <= index || isImpossible(this, [left.node, right.node])) continue
        const what = `the alternatives ${index} and ${other} of 'oneOf' could both hold. Give them different constants in a required property, or use 'anyOf'.`
        this.unsupported(at, what)
        return
      }
    }
  }

  #bounded<T>(items: T[]): T[] {
    if (items.length > maxShapes)
      throw new GrammarTooLarge(`The schema has more than ${maxShapes} alternatives in one place.`)
    return items
  }
}

type Lead = (schema: unknown, ...path: (string | number)[]) => Pending

export const conjunctionKey = (conjunction: Conjunction): string =>
  [...new Set(conjunction.map(({ id }) => id))].sort((left, right) => left - right).join()
