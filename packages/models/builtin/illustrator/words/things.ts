// What can be drawn, by name.
import { readFileSync } from 'node:fs'

/** Where a thing belongs: see things.txt. */
export type Home = 'g' | 'p' | 'b' | 't' | 's' | 'f' | 'w' | 'u' | 'h' | 'c'

export interface Thing {
  /** The name it is told by. */
  name: string
  art: string
  metres: number
  home: Home
}

const table = readFileSync(new URL('./things.txt', import.meta.url), 'utf8')
const byName = new Map<string, Thing>()

for (const line of table.split('\n')) {
  if (line === '' || line.startsWith('#')) continue
  const [art = '', metres = '1', home = 'g', ...rest] = line.split(' ')
  const names = rest.join(' ').split(',')
  const told = names[0] ?? art
  for (const name of names) {
    // Told by the word that was used, where it says more: a corgi is drawn as a dog.
    if (!byName.has(name))
      byName.set(name, { name: name === told ? told : name, art, metres: Number(metres), home: home as Home })
  }
}

export const thingNames = (): string[] => [...byName.keys()]
export const thingNamed = (name: string): Thing | undefined => byName.get(name)

const longest = 4

export interface FoundThing {
  thing: Thing
  length: number
  isPlural: boolean
}

export function thingAt(words: readonly string[], at: number): FoundThing | undefined {
  for (let length = Math.min(longest, words.length - at); length >= 1; length--) {
    const some = words.slice(at, at + length)
    const found = lookUp(some)
    if (found !== undefined) return { ...found, length }
  }
  return undefined
}

function lookUp(some: readonly string[]): { thing: Thing; isPlural: boolean } | undefined {
  const whole = some.join(' ')
  const last = some.at(-1) ?? ''
  const before = some.slice(0, -1)
  const exact = byName.get(whole)
  if (exact !== undefined) return { thing: exact, isPlural: pluralAlone.has(last) }
  for (const single of singulars(last)) {
    const thing = byName.get([...before, single].join(' '))
    if (thing !== undefined) return { thing, isPlural: true }
  }
  // "cups of coffee", "slices of cake"
  const [head = '', ...tail] = some
  for (const single of tail.length > 0 ? singulars(head) : []) {
    const thing = byName.get([single, ...tail].join(' '))
    if (thing !== undefined) return { thing, isPlural: true }
  }
  return undefined
}

const pluralAlone = new Set(['people'])
const irregular: Record<string, string> = {
  ...{ men: 'man', women: 'woman', children: 'child', mice: 'mouse', geese: 'goose', feet: 'foot', teeth: 'tooth' },
  ...{
    wolves: 'wolf',
    leaves: 'leaf',
    knives: 'knife',
    loaves: 'loaf',
    elves: 'elf',
    calves: 'calf',
    shelves: 'shelf',
  },
  ...{
    cacti: 'cactus',
    dice: 'die',
    oxen: 'ox',
    policemen: 'policeman',
    firemen: 'fireman',
    snowmen: 'snowman',
    buses: 'bus',
  },
  ...{ puppies: 'puppy', bunnies: 'bunny', scarves: 'scarf', dwarves: 'dwarf', octopi: 'octopus' },
}

/** What a plural may be the plural of. */
export function singulars(word: string): string[] {
  const known = Object.hasOwn(irregular, word) ? irregular[word] : undefined
  if (known !== undefined) return [known]
  if (!word.endsWith('s') || word.endsWith('ss') || word.length < 4) return []
  const forms = [word.slice(0, -1)]
  if (word.endsWith('ies')) forms.push(`${word.slice(0, -3)}y`)
  if (/(ses|xes|zes|ches|shes|oes)$/.test(word)) forms.push(word.slice(0, -2))
  return forms
}

const irregularPlurals = new Map(Object.entries(irregular).map(([plural, single]) => [single, plural]))
const unchanged = new Set([
  'sheep',
  'fish',
  'deer',
  'people',
  'goldfish',
  'salmon',
  'aircraft',
  'cattle',
  'popcorn',
  'rice',
  'bread',
])

export function plural(name: string): string {
  const words = name.split(' ')
  const of = words.indexOf('of')
  const at = of > 0 ? of - 1 : words.length - 1
  const word = words[at] ?? name
  words[at] = pluralWord(word)
  return words.join(' ')
}

function pluralWord(word: string): string {
  if (unchanged.has(word) || (word.endsWith('s') && !word.endsWith('ss') && !word.endsWith('us'))) return word
  const known = irregularPlurals.get(word)
  if (known !== undefined) return known
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  return /(s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`
}
