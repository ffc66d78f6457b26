// Which prompts are read in a step, and how much of each.
import { leastSlice, sliceOf } from './slice-pace.ts'

export interface Unread {
  unreadTokens: number
  /** Its every token is looked at, which takes much longer for each. */
  describesPrompt: boolean
  /** Steps in a row that others were read in. */
  passedOver: number
}

const describedTokens = 32
/** So many steps in a row may be others' while the prompt that came first waits, however long it is. */
const mostPassedOver = 3

/**
 * Who has least to read is answered soon, and the others hardly notice: what is read in half a step has the step for
 * itself. What is computed together takes as long as one after the other, so nobody is read beside the short ones,
 * and the oldest's turn is a step of its own.
 */
export function planReading<Reading extends Unread>(
  inOrderOfArrival: readonly Reading[],
  room: number,
): [reading: Reading, tokens: number][] {
  const slices = fill(inTurn(inOrderOfArrival, room), room)
  const read = new Set(slices.map(([reading]) => reading))
  for (const reading of inOrderOfArrival) reading.passedOver = read.has(reading) ? 0 : reading.passedOver + 1
  return slices
}

function inTurn<Reading extends Unread>(inOrderOfArrival: readonly Reading[], room: number): readonly Reading[] {
  const [oldest] = inOrderOfArrival
  const shortestFirst = inOrderOfArrival.toSorted((a, b) => a.unreadTokens - b.unreadTokens)
  if (oldest !== undefined && oldest.passedOver >= mostPassedOver) return [...new Set([oldest, ...shortestFirst])]
  const short = fitting(shortestFirst, Math.max(room / 2, leastSlice))
  return short.length > 0 ? short : shortestFirst
}

/** Those at the beginning that are read with so many tokens together. */
function fitting<Reading extends Unread>(list: readonly Reading[], most: number): Reading[] {
  let tokens = 0
  const end = list.findIndex(({ unreadTokens }) => {
    tokens += unreadTokens
    return tokens > most
  })
  return list.slice(0, end < 0 ? undefined : end)
}

function fill<Reading extends Unread>(list: readonly Reading[], room: number): [Reading, number][] {
  let left = Math.max(room, leastSlice)
  return list.flatMap((reading): [Reading, number][] => {
    const most = reading.describesPrompt ? Math.min(left, describedTokens) : left
    if (most < leastSlice) return []
    const tokens = sliceOf(reading.unreadTokens, most)
    left -= tokens
    return [[reading, tokens]]
  })
}
