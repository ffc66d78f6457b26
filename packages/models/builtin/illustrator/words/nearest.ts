// The thing that is nearest in meaning to a word, by the built-in embeddings.
import { loadTables } from '../../embeddings/tables.ts'
import { TextReader } from '../../embeddings/text-reader.ts'
import { singulars, type Thing, thingNamed, thingNames } from './things.ts'

/** Less alike, and it would be another thing that is drawn. */
const leastLikeness = 0.62

interface Known {
  thing: Thing
  vector: Float32Array
}

let loading: Promise<{ reader: TextReader; known: Known[] }> | undefined

async function load() {
  const reader = new TextReader(await loadTables())
  const known = thingNames().flatMap((name): Known[] => {
    const thing = thingNamed(name)
    return thing === undefined ? [] : [{ thing, vector: unit(reader.read(name).sum) }]
  })
  return { reader, known }
}

export async function nearestThing(word: string): Promise<Thing | undefined> {
  loading ??= load()
  const { reader, known } = await loading
  const vector = unit(reader.read(singulars(word)[0] ?? word).sum)
  let best: { thing: Thing; likeness: number } | undefined
  for (const { thing, vector: other } of known) {
    const likeness = dot(vector, other)
    if (likeness > (best?.likeness ?? leastLikeness)) best = { thing, likeness }
  }
  return best?.thing
}

function unit(sum: Float32Array): Float32Array {
  const length = Math.sqrt(dot(sum, sum)) || 1
  return sum.map((value) => value / length)
}

const dot = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)
