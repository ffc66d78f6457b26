// Reads a prompt: what is named, how many of it, in what colours and sizes, where it stands, and where all of this is.
import { colourAt, rainbow } from './colours.ts'
import type { Described, Description, Spot } from './description.ts'
import { numberAt } from './numbers.ts'
import {
  actions,
  carriesText,
  clothing,
  colourful,
  determiners,
  linking,
  negations,
  type RelationWord,
  relationAt,
  silent,
  sizes,
  spotAt,
} from './phrases.ts'
import { type Modifiers, noModifiers, SceneList } from './scene-list.ts'
import { type Setting, settingAt } from './settings.ts'
import { letteringAt, splitPrompt } from './split-words.ts'
import { type FoundThing, singulars, type Thing, thingAt } from './things.ts'

/** Words before lettering in which it is said what carries it. */
const carriedWithin = 4

/** `meant` says what unknown words are drawn as; those that are not in it come back as unknown. */
export const readPrompt = (prompt: string, meant: ReadonlyMap<string, Thing> = new Map()): Description =>
  new PromptReader(prompt, meant).read()

class PromptReader {
  readonly #words: string[]
  readonly #letterings: string[]
  readonly #meant: ReadonlyMap<string, Thing>
  readonly #scene = new SceneList()
  readonly #setting: Partial<Setting> = {}
  readonly #unknown: string[] = []
  #title: string | undefined
  #modifiers = noModifiers()
  /** "a red and a blue" before the noun of both has come. */
  #elided: Modifiers[] = []
  #isNegated = false

  constructor(prompt: string, meant: ReadonlyMap<string, Thing>) {
    this.#meant = meant
    const { words, letterings } = splitPrompt(prompt)
    this.#words = words
    this.#letterings = letterings
  }

  read(): Description {
    for (let at = 0; at < this.#words.length; ) at += this.#step(at)
    const { things } = this.#scene
    withoutOwnCandles(things)
    const title = this.#title
    return { things, setting: this.#setting, unknown: this.#unknown, ...(title === undefined ? {} : { title }) }
  }

  /** How many words it has read. */
  #step(at: number): number {
    const words = this.#words
    const word = words[at] ?? ''
    const lettering = letteringAt(word)
    if (lettering !== undefined) return this.#letter(lettering, at)
    if (/^[.;:!?]$/.test(word)) return this.#endSentence()
    if (word === 'and' || word === ',' || word === 'plus') return this.#join(at)
    if (negations.has(word)) {
      this.#isNegated = true
      return 1
    }
    const thing = thingAt(words, at)
    const spot = spotAt(words, at)
    if (spot !== undefined && spot.length > (thing?.length ?? 0)) return this.#spot(spot.value, spot.length, at)
    const colour = this.#colour(at, thing)
    if (colour > 0) return colour
    const setting = settingAt(words, at)
    if (setting !== undefined && this.#prefersSetting(setting.length, thing)) {
      Object.assign(this.#setting, setting.setting)
      this.#clear()
      this.#scene.pending = undefined
      return setting.length
    }
    const relation = relationAt(words, at)
    if (relation !== undefined && (thing === undefined || relation.length > thing.length)) {
      return this.#relate(relation.value, relation.length, at)
    }
    if (thing !== undefined) return this.#name(thing.thing, thing.isPlural, thing.length, at)
    return this.#other(word, at)
  }

  /** "In the mountains" is a place, "two mountains" are things. */
  #prefersSetting(length: number, thing: FoundThing | undefined): boolean {
    if (thing === undefined || length > thing.length) return true
    const { colours, count } = this.#modifiers
    if (length < thing.length || colours.length > 0 || count !== undefined) return false
    const word = this.#scene.pending?.word
    return word !== undefined && (thing.isPlural || ['in', 'at', 'with', 'on'].includes(word))
  }

  #letter(index: number, at: number): number {
    const text = this.#letterings[index] ?? ''
    if (text === '') return 1
    const { last } = this.#scene
    const isCarried = this.#words.slice(Math.max(0, at - carriedWithin), at).some((word) => carriesText.has(word))
    const isCarrier = last !== undefined && (isCarried || /sign|banner|board/.test(last.thing.name))
    if (isCarrier && last.lettering === undefined) last.lettering = text
    else this.#title ??= text
    this.#scene.pending = undefined
    return 1
  }

  #endSentence(): number {
    this.#clear()
    this.#isNegated = false
    this.#scene.endSentence()
    return 1
  }

  #join(at: number): number {
    const next = this.#words[at + 1] ?? ''
    const { colours, count } = this.#modifiers
    const beginsAnew = determiners.has(next) || numberAt(this.#words, at + 1) !== undefined
    if ((colours.length > 0 || count !== undefined) && beginsAnew) {
      this.#elided.push(this.#modifiers)
      this.#modifiers = noModifiers()
    }
    this.#scene.isJoined = true
    return 1
  }

  #spot(spot: Spot, length: number, at: number): number {
    const { last } = this.#scene
    const isAhead = last === undefined || at === 0 || /^[.;]$/.test(this.#words[at - 1] ?? '')
    if (isAhead) this.#scene.nextSpot = spot
    else last.spot ??= spot
    this.#scene.pending = undefined
    return length
  }

  #colour(at: number, thing: FoundThing | undefined): number {
    const words = this.#words
    if (colourful.has(words[at] ?? '')) {
      this.#modifiers.colours = [...rainbow]
      return 1
    }
    const found = colourAt(words, at)
    if (found === undefined || (thing?.length ?? 0) > found.length) return 0
    const { colour, length } = found
    const next = words[at + length] ?? ''
    const previous = words[at - 1] ?? ''
    const endsHere = this.#endsBefore(at + length)
    const { last } = this.#scene
    // "The car is red", "a woman in blue".
    const isSaidOfLast = linking.has(previous) || previous === 'in'
    if (endsHere && last !== undefined && isSaidOfLast && this.#modifiers.colours.length === 0) {
      if (last.colours.length === 0) last.colours.push(colour)
      this.#scene.pending = undefined
      return length
    }
    // An orange, a rose, a peach: a thing where no noun follows.
    const isListed = next === 'and' && colourAt(words, at + length + 1) !== undefined
    if (endsHere && thing !== undefined && !isListed) return 0
    this.#modifiers.colours.push(colour)
    return length
  }

  /** Nothing that belongs to the same noun follows. */
  #endsBefore(at: number): boolean {
    const next = this.#words[at] ?? '.'
    return /^[,.;:!?]$/.test(next) || next === 'and' || linking.has(next) || relationAt(this.#words, at) !== undefined
  }

  #relate(word: RelationWord, length: number, at: number): number {
    const isMadeOf = this.#words[at - 1] === 'made'
    this.#clear()
    // "On a branch of a tree", "on top of it": the first preposition is the one that counts.
    if (word === 'of' && this.#scene.pending !== undefined) return length
    if (word === 'of' && (this.#scene.things.length === 0 || isMadeOf)) {
      if (isMadeOf) this.#isNegated = true
      return length
    }
    this.#scene.begin(word)
    return length
  }

  #name(thing: Thing, isPlural: boolean, length: number, at: number, meant?: string): number {
    const scene = this.#scene
    // Of "apple tree" and "coffee table" the last is what it is.
    if (!isPlural && thingAt(this.#words, at + length) !== undefined) return length
    if (this.#isNegated) {
      this.#isNegated = false
      this.#clear()
      scene.pending = undefined
      return length
    }
    if (this.#wearsClothes(thing)) return length
    const known = scene.mentioned(thing, this.#modifiers)
    if (known !== undefined) scene.relateTo(known)
    else this.#addAll(thing, isPlural, meant)
    this.#clear()
    return length
  }

  #addAll(thing: Thing, isPlural: boolean, meant: string | undefined): void {
    const all = [...this.#elided, this.#modifiers]
    const { pending } = this.#scene
    for (const [at, modifiers] of all.entries()) {
      if (at > 0) {
        this.#scene.isJoined = pending === undefined
        this.#scene.pending = pending
      }
      this.#scene.add(thing, modifiers, isPlural && all.length === 1, meant)
    }
  }

  /** A man in a red shirt is a man, in red. */
  #wearsClothes({ name }: Thing): boolean {
    const { pending, things } = this.#scene
    if (!clothing.has(name) || pending === undefined || !['in', 'worn', 'with'].includes(pending.word)) return false
    const wearers = pending.subjects.flatMap((index) => (things[index]?.thing.home === 'p' ? [things[index]] : []))
    if (wearers.length === 0) return false
    for (const wearer of wearers) if (wearer.colours.length === 0) wearer.colours.push(...this.#modifiers.colours)
    this.#clear()
    this.#scene.pending = undefined
    return true
  }

  #other(word: string, at: number): number {
    const number = numberAt(this.#words, at)
    if (number !== undefined) {
      this.#modifiers.count = number.count
      return number.length
    }
    if (word === 'it' || word === 'them') this.#scene.refer()
    if (determiners.has(word)) this.#modifiers.isDefinite = word === 'the'
    const size = Object.hasOwn(sizes, word) ? sizes[word] : undefined
    if (size !== undefined) Object.assign(this.#modifiers, { size, sizeWord: word })
    if (size !== undefined || determiners.has(word) || this.#act(word) || silent.has(word)) return 1
    return this.#stranger(word, at)
  }

  /** A running man is drawn running. */
  #act(word: string): boolean {
    const action = Object.hasOwn(actions, word) ? actions[word] : undefined
    const { last } = this.#scene
    if (action === undefined || last === undefined || !/^(man|woman|person)-standing$/.test(last.thing.art))
      return false
    const art = last.thing.art.replace('standing', action)
    last.thing = { ...last.thing, art, name: `${word} ${last.thing.name}` }
    return true
  }

  /** A word that is not known names something where a noun stands: with nothing but a preposition or an end after it. */
  #stranger(word: string, at: number): number {
    const previous = this.#words[at - 1] ?? ''
    const { count, colours, sizeWord } = this.#modifiers
    const isModified = count !== undefined || colours.length > 0 || sizeWord !== undefined
    const isBegun = isModified || determiners.has(previous) || this.#scene.pending !== undefined || at === 0
    if (!this.#endsBefore(at + 1) || !isBegun || /(ing|ly|ed)$/.test(word)) return 1
    const meant = this.#meant.get(word)
    if (meant !== undefined) {
      const isPlural = singulars(word).length > 0 && count === undefined && !['a', 'an'].includes(previous)
      return this.#name(meant, isPlural, 1, at, word)
    }
    if (!this.#isNegated && !this.#unknown.includes(word)) this.#unknown.push(word)
    this.#isNegated = false
    this.#clear()
    this.#scene.pending = undefined
    return 1
  }

  #clear(): void {
    this.#modifiers = noModifiers()
    this.#elided = []
  }
}

/** The drawn cake has three candles of its own: where candles are counted, there are no others. */
function withoutOwnCandles(things: readonly Described[]): void {
  for (const { thing, relation } of things) {
    const host = relation && things[relation.to]
    if (thing.name === 'candle' && host?.thing.art === 'birthday-cake') host.thing = { ...host.thing, art: 'own:cake' }
  }
}
