// JSON of many megabytes, written and read with turns for others in between.
import { inTurns } from '../../loop-turns.ts'
import { JsonReader } from './json-reader.ts'
import { endOfSlice, isLarge, jsonSlices } from './json-slices.ts'

/** What takes a fraction of a millisecond to read. */
const sliceLetters = 16 * 1024
/** What takes a few. */
const smallLetters = 256 * 1024
/** Of what was bounded when it came in. */
const noBounds = {
  maxDepth: Number.POSITIVE_INFINITY,
  maxValues: Number.POSITIVE_INFINITY,
  maxNumbers: Number.POSITIVE_INFINITY,
  maxKeys: Number.POSITIVE_INFINITY,
}

/** As JSON.stringify, a piece at a time. */
export async function* jsonPieces(value: unknown): AsyncGenerator<string> {
  const slices = jsonSlices(value)
  for (let isDone = false; !isDone; ) {
    let slice: string | undefined
    await inTurns(() => {
      const next = slices.next()
      isDone = next.done === true
      slice = next.value
      return true
    })
    if (slice !== undefined) yield slice
  }
}

/** As JSON.stringify, of a list or an object. */
export async function stringifyInTurns(value: object): Promise<string> {
  if (!isLarge(value)) return JSON.stringify(value)
  const pieces: string[] = []
  for await (const piece of jsonPieces(value)) pieces.push(piece)
  return pieces.join('')
}

/** As JSON.parse, of what JSON.stringify wrote. */
export async function parseInTurns(text: string): Promise<unknown> {
  if (text.length <= smallLetters) return JSON.parse(text)
  const reader = new JsonReader(noBounds)
  let at = 0
  await inTurns(() => {
    const end = endOfSlice(text, at + sliceLetters)
    reader.push(Buffer.from(text.slice(at, end)))
    at = end
    return at >= text.length
  })
  return reader.end()
}
