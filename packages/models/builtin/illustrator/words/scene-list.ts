// The things of a prompt as they are named one after the other, with what is said between them.
import type { NamedColour } from './colours.ts'
import type { Described, RelationKind, Spot } from './description.ts'
import { defaultPlural, maxCount } from './numbers.ts'
import type { RelationWord } from './phrases.ts'
import { directRelation, inverseRelation, isWearable, leadsTo } from './relate.ts'
import type { Thing } from './things.ts'

const maxThings = 24

/** What was said of a thing before its name. */
export interface Modifiers {
  count?: number
  colours: NamedColour[]
  size: number
  sizeWord?: string
  /** "the", not "a". */
  isDefinite: boolean
}

export const noModifiers = (): Modifiers => ({ colours: [], size: 1, isDefinite: false })

interface Pending {
  word: RelationWord
  subjects: number[]
}

export class SceneList {
  readonly things: Described[] = []
  /** A relation whose second thing has yet to come. */
  pending: Pending | undefined
  /** After "and" or a comma. */
  isJoined = false
  /** Said of the thing that comes next. */
  nextSpot: Spot | undefined
  /** Things that stand in one list: what follows is said of all of them. */
  #current: number[] = []
  /** "Next to the house is": said before what it is said of. */
  #ahead: { kind: RelationKind; to: number } | undefined
  /** Whoever has something with them: more of it may follow. */
  #lastWith: number | undefined
  #between: number | undefined

  get last(): Described | undefined {
    return this.things.at(-1)
  }

  begin(word: RelationWord): void {
    this.pending = { word, subjects: [...this.#current] }
    this.isJoined = false
  }

  endSentence(): void {
    this.#current = []
    this.pending = undefined
    this.isJoined = false
    this.#lastWith = undefined
  }

  /** "The dog" after "a dog" is the same. */
  mentioned(thing: Thing, { isDefinite, colours, count }: Modifiers): number | undefined {
    if (!isDefinite || colours.length > 0 || count !== undefined) return undefined
    const found = this.things.findIndex((one) => one.thing.art === thing.art && one.thing.name === thing.name)
    return found < 0 ? undefined : found
  }

  add(thing: Thing, modifiers: Modifiers, isPlural: boolean, meant: string | undefined): void {
    if (this.things.length >= maxThings) return
    const described = describe(thing, modifiers, isPlural)
    if (meant !== undefined) described.meant = meant
    if (this.nextSpot !== undefined) described.spot = this.nextSpot
    this.nextSpot = undefined
    this.things.push(described)
    const index = this.things.length - 1
    if (this.#ahead !== undefined && this.pending === undefined) {
      described.relation = this.#ahead
      this.#ahead = undefined
      this.#current = [index]
    } else if (this.#between !== undefined && this.isJoined) this.#endBetween(index)
    else if (this.pending !== undefined) this.relateTo(index)
    else this.#list(index)
    this.isJoined = false
  }

  /** What was said of the subjects is said towards this thing. */
  relateTo(index: number): void {
    const pending = this.pending
    this.pending = undefined
    const object = this.things[index]
    if (pending === undefined || object === undefined) {
      if (!this.#current.includes(index)) this.#current = [index]
      return
    }
    const subjects = pending.subjects.filter((one) => one !== index)
    const [first] = subjects
    const subject = first === undefined ? undefined : this.things[first]
    if (first === undefined || subject === undefined) {
      this.#sayAhead(pending.word, index)
      return
    }
    const inverse = inverseRelation(pending.word, subject, object)
    if (inverse !== undefined) {
      this.#place(index, inverse, first)
      this.#lastWith = first
      // "With an elephant behind them": more is said of the elephant.
      this.#current = inverse === 'beside' ? [index] : subjects
      return
    }
    const kind = directRelation(pending.word, object)
    if (kind === 'between') this.#between = index
    if (kind !== undefined) for (const one of subjects) this.#place(one, kind, index)
    this.#current = [index]
  }

  /** "it", "them" after a preposition. */
  refer(): void {
    const subjects = this.pending?.subjects ?? []
    const objects = this.things
      .map(({ relation }) => relation?.to)
      .filter((to) => to !== undefined && !subjects.includes(to))
    const index = objects.at(-1) ?? this.things.findIndex((_, at) => !subjects.includes(at))
    if (this.pending !== undefined && index !== undefined && index >= 0) this.relateTo(index)
    this.pending = undefined
  }

  #place(index: number, kind: RelationKind, to: number): void {
    const placed = this.things[index]
    if (
      placed !== undefined &&
      (placed.relation === undefined || placed.relation.kind === 'beside') &&
      !leadsTo(this.things, to, index)
    ) {
      placed.relation = { kind, to }
    }
  }

  #sayAhead(word: RelationWord, index: number): void {
    if (word !== 'with' && word !== 'of' && word !== 'at') this.#ahead = { kind: word, to: index }
    this.#current = [index]
  }

  #endBetween(index: number): void {
    for (const { relation } of this.things) {
      if (relation?.kind === 'between' && relation.to === this.#between) relation.and ??= index
    }
    this.#between = undefined
    this.#current = [index]
  }

  #list(index: number): void {
    const described = this.things[index]
    // "with a hat and sunglasses"
    if (this.isJoined && this.#lastWith !== undefined && described !== undefined && isWearable(described.thing)) {
      described.relation = { kind: 'worn', to: this.#lastWith }
      return
    }
    const previous = this.#current.at(-1)
    const wasRelated = previous !== undefined && this.things[previous]?.relation !== undefined
    if (this.isJoined && !wasRelated) this.#current.push(index)
    else this.#current = [index]
  }
}

function describe(thing: Thing, { colours, size, sizeWord, count: told }: Modifiers, isPlural: boolean): Described {
  const ofColours = colours.length === 2 ? 4 : Math.max(defaultPlural, colours.length)
  const usual = isPlural ? (colours.length > 1 ? ofColours : defaultPlural) : 1
  const count = Math.min(maxCount, told ?? usual)
  const described: Described = { thing, count, colours: count === 1 ? colours.slice(0, 1) : colours, size }
  if (sizeWord !== undefined) described.sizeWord = sizeWord
  return described
}
