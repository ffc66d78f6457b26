// Whether some sentences of a passage say what a sentence of an answer says, beyond sharing most of its words: the same
// numbers of the same things, the same names, and nothing denied that the other affirms.
import { isUnit, type Word } from './words.ts'

/** Of the names in a sentence, how many may be missing from where it comes from: it may name what all is about. */
const missingNames = 0.5

export function holds(
  sentences: readonly (readonly Word[])[],
  said: readonly Word[],
  subjects: ReadonlySet<string>,
): boolean {
  return (
    said.every((word) => !word.isNumber || hasNumber(sentences, said, word, subjects)) &&
    hasNames(sentences, said, subjects) &&
    !contradicts(sentences.flat(), said)
  )
}

/** A number stands in a sentence that speaks of the same, not just somewhere near. */
function hasNumber(
  sentences: readonly (readonly Word[])[],
  said: readonly Word[],
  number: Word,
  subjects: ReadonlySet<string>,
): boolean {
  if (subjects.has(number.key)) return true
  const isTelling = (word: Word): boolean => !word.isNumber && !isUnit(word)
  const telling = new Set(said.filter(isTelling).map(({ key }) => key))
  return sentences.some((words) => {
    const own = words.filter(isTelling)
    // A line with nothing but numbers stands under what it tells of.
    const isAbout = telling.size === 0 || own.length === 0 || own.some(({ key }) => telling.has(key))
    return isAbout && words.some((word) => isSameNumber(word, number))
  })
}

const isSameNumber = (one: Word, other: Word): boolean =>
  one.isNumber && one.key === other.key && (one.unit === other.unit || !one.unit || !other.unit)

function hasNames(
  sentences: readonly (readonly Word[])[],
  said: readonly Word[],
  subjects: ReadonlySet<string>,
): boolean {
  const names = new Set(said.filter(({ isName }) => isName).map(({ key }) => key))
  const known = new Set(sentences.flat().map(({ key }) => key))
  const missing = [...names].filter((key) => !known.has(key) && !subjects.has(key))
  return missing.length <= names.size * missingNames
}

/** One says `not paid`, the other `paid`. */
function contradicts(words: readonly Word[], said: readonly Word[]): boolean {
  return said.some(({ key, isNumber, isNegated }) => {
    if (isNumber) return false
    const same = words.filter((word) => word.key === key)
    return same.length > 0 && same.every((word) => word.isNegated !== isNegated)
  })
}
