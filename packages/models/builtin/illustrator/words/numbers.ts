// Words that say how many.
const ones: Record<string, number> = {
  ...{ one: 1, single: 1, two: 2, both: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10 },
  ...{
    eleven: 11,
    twelve: 12,
    thirteen: 13,
    fourteen: 14,
    fifteen: 15,
    sixteen: 16,
    twenty: 20,
    thirty: 30,
    forty: 40,
  },
  ...{ fifty: 50, hundred: 100 },
}

/** With what often follows them: "a pair of". */
const phrases: Record<string, number> = {
  ...{ 'a pair of': 2, 'a couple of': 2, 'couple of': 2, 'pair of': 2, 'a few': 3, few: 3, some: 3, several: 4 },
  ...{
    many: 7,
    'lots of': 7,
    'a lot of': 7,
    numerous: 7,
    dozens: 24,
    'dozens of': 24,
    'a dozen': 12,
    'half a dozen': 6,
  },
  ...{ dozen: 12, 'a group of': 4, 'a row of': 4, 'a line of': 4, 'a bunch of': 5, 'a herd of': 5, 'a flock of': 6 },
  ...{ 'a swarm of': 8, 'a school of': 6, 'a pack of': 4, 'a trio of': 3, 'a crowd of': 8, 'a family of': 4 },
  ...{ 'a handful of': 4, 'a cluster of': 5, 'a field of': 9, 'a forest of': 8 },
}

/** What a plural without a number means. */
export const defaultPlural = 3
/** More are not drawn: each would be too small to see. */
export const maxCount = 60

export function numberAt(words: readonly string[], at: number): { count: number; length: number } | undefined {
  for (let length = 4; length >= 1; length--) {
    const phrase = words.slice(at, at + length).join(' ')
    const count = Object.hasOwn(phrases, phrase) ? phrases[phrase] : undefined
    if (count !== undefined) return { count, length }
  }
  const word = words[at] ?? ''
  if (word === 'a' && words[at + 1] === 'hundred') return { count: 100, length: 2 }
  const count = /^\d{1,4}$/.test(word) ? Number(word) : Object.hasOwn(ones, word) ? ones[word] : undefined
  return count === undefined || count === 0 ? undefined : { count, length: 1 }
}

const spelled = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
]
export const spell = (count: number): string => spelled[count] ?? String(count)
