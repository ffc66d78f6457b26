// Citation marks in a text: `【0:3†report.pdf】` is the fourth passage of the first search.
import type { Passage } from '../hosted-tool.ts'

export const markStart = '【'
export const markEnd = '】'
/** Longer is no mark; so much may be held back. */
export const maxMarkLetters = 300

export function markOf({ search, place, fileName }: Passage): string {
  const name = fileName.replace(/[【】†\s]+/g, ' ').trim()
  return `${markStart}${search}:${place}†${name}${markEnd}`
}

const written = /^【(\d{1,6})(?::(\d{1,6}))?†([^】]*)】$/

/**
 * What a mark that the model wrote itself refers to. `【2†…】` is the second passage it was shown; a file's name counts
 * more than a number.
 */
export function passageOfMark(mark: string, passages: readonly Passage[]): Passage | undefined {
  const match = written.exec(mark)
  if (match === null) return undefined
  const [, first, second, label = ''] = match
  const numbered =
    second === undefined
      ? passages[Number(first) - 1]
      : passages.find(({ search, place }) => search === Number(first) && place === Number(second))
  const named = passages.filter(({ fileName }) => fileName === label.trim())
  return named.length === 0 || (numbered !== undefined && named.includes(numbered)) ? numbered : named[0]
}
