// Sets of code points, as sorted ranges that do not touch.
import type { CharRange } from '../gbnf.ts'
import { lastCodePoint } from './regex.ts'

export type EscapeClass = 'digits' | 'wordLetters' | 'spaces' | 'lineEnds'

/** As JavaScript means them, with the u flag and without the i flag. */
export const escapeClasses: Record<EscapeClass, CharRange[]> = {
  digits: [[0x30, 0x39]],
  wordLetters: [[0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]],
  spaces: [
    [0x09, 0x0d], [0x20, 0x20], [0xa0, 0xa0], [0x1680, 0x1680], [0x2000, 0x200a], [0x2028, 0x2029], [0x202f, 0x202f],
    [0x205f, 0x205f], [0x3000, 0x3000], [0xfeff, 0xfeff],
  ],
  lineEnds: [[0x0a, 0x0a], [0x0d, 0x0d], [0x2028, 0x2029]],
} // biome-ignore format: a table

/** The letters behind a backslash that name a class; in capitals they name its complement. */
export const caseless: Record<string, EscapeClass> = { d: 'digits', w: 'wordLetters', s: 'spaces' }

export function union(ranges: readonly CharRange[]): CharRange[] {
  const result: CharRange[] = []
  for (const [from, to] of [...ranges].sort(([left], [right]) => left - right)) {
    const last = result.at(-1)
    if (last && from <= last[1] + 1) result[result.length - 1] = [last[0], Math.max(last[1], to)]
    else result.push([from, to])
  }
  return result
}

export function complement(ranges: readonly CharRange[]): CharRange[] {
  const result: CharRange[] = []
  let next = 0
  for (const [from, to] of union(ranges)) {
    if (from > next) result.push([next, from - 1])
    next = to + 1
  }
  if (next <= lastCodePoint) result.push([next, lastCodePoint])
  return result
}

export function intersection(left: readonly CharRange[], right: readonly CharRange[]): CharRange[] {
  const pairs = left.flatMap(([from, to]) =>
    right.map(([start, end]): CharRange => [Math.max(from, start), Math.min(to, end)]),
  )
  return union(pairs.filter(([from, to]) => from <= to))
}
