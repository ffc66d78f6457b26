// What a preposition means between two things.
import type { Described, RelationKind } from './description.ts'
import { containers, type RelationWord } from './phrases.ts'
import type { Thing } from './things.ts'

/** Whether what holds `from` in its place, step by step, is `to`: nothing may hold itself. */
export function leadsTo(things: readonly Described[], from: number, to: number): boolean {
  let at: number | undefined = from
  for (let steps = 0; at !== undefined && steps <= things.length; steps++) {
    if (at === to) return true
    at = things[at]?.relation?.to
  }
  return false
}

const supports = new Set([
  'table',
  'desk',
  'dining table',
  'bench',
  'park bench',
  'bookshelf',
  'shelf',
  'bookcase',
  'bed',
  'couch',
  'sofa',
  'cake',
  'birthday cake',
  'plate',
  'dish',
])

const isTree = ({ art }: Thing): boolean => /tree|bush/.test(art)
export const isWearable = ({ home, name }: Thing): boolean => home === 'h' || name === 'scarf'

/** How the object is placed by the subject: "a man with a hat". */
export function inverseRelation(word: RelationWord, subject: Described, object: Described): RelationKind | undefined {
  const canBeWorn = isWearable(object.thing)
  const isLiving = subject.thing.home === 'p' || subject.thing.home === 'g' || subject.thing.home === 'f'
  if (word === 'worn') return canBeWorn ? 'worn' : 'held'
  if (word === 'held') return 'held'
  if (word === 'of') return containers.has(subject.thing.name) ? 'in' : undefined
  if (word !== 'with') return word === 'in' && canBeWorn && isLiving ? 'worn' : undefined
  if (canBeWorn && isLiving) return 'worn'
  if (supports.has(subject.thing.name) && (object.thing.home === 't' || object.thing.home === 'h')) return 'on'
  if (containers.has(subject.thing.name) && object.thing.metres < 1) return 'in'
  if (
    subject.thing.home === 'p' &&
    (object.thing.home === 't' || object.thing.name === 'umbrella' || object.thing.name === 'balloon')
  )
    return 'held'
  return 'beside'
}

/** How the subject is placed by the object: "a cat on a chair". */
export function directRelation(word: RelationWord, object: Described): RelationKind | undefined {
  if (word === 'with' || word === 'of') return 'beside'
  if (word === 'at') return 'beside'
  if (word === 'worn' || word === 'held') return undefined
  if (word === 'on' && isTree(object.thing)) return 'in'
  if (word !== 'in') return word
  if (containers.has(object.thing.name)) return 'in'
  if (isTree(object.thing)) return 'in'
  return object.thing.home === 'b' || object.thing.home === 'g' ? 'front' : 'on'
}
