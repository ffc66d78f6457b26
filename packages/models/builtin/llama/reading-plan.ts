// Which prompts are read in a step, and how much of each.
import { leastSlice, sliceOf } from './slice-pace.ts'

export interface Unread {
  unreadTokens: number
  /** Its every token is looked at, which takes much longer for each. */
  describesPrompt: boolean
}

const describedTokens = 32

/**
 * Who has least to read is answered soon, and the others hardly notice: what is read in half a step has the step for
 * itself. When it is the oldest's turn, the prompt that came first has the rest of it, however long it is, and never
 * nothing: the short ones may not end.
 */
export function planReading<Reading extends Unread>(
  inOrderOfArrival: readonly Reading[],
  room: number,
  isOldestsTurn: boolean,
): [reading: Reading, tokens: number][] {
  const [oldest] = inOrderOfArrival
  if (oldest === undefined) return []
  const shortestFirst = inOrderOfArrival.toSorted((a, b) => a.unreadTokens - b.unreadTokens)
  const short = fitting(shortestFirst, Math.max(room / 2, leastSlice))
  if (!isOldestsTurn) return fill(short.length > 0 ? short : shortestFirst, room)
  const soon = fill(short, room)
  if (short.includes(oldest)) return soon
  const others = shortestFirst.filter((reading) => reading !== oldest && !short.includes(reading))
  return [...soon, ...fill([oldest, ...others], room - tokensOf(soon))]
}

const tokensOf = (slices: readonly [unknown, tokens: number][]): number =>
  slices.reduce((sum, [, tokens]) => sum + tokens, 0)

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
