// How many words of a text were heard otherwise, left out or put in.
export function wordErrors(said: string, heard: string): number {
  const expected = wordsOf(said)
  const found = wordsOf(heard)
  let row = found.map((_, at) => at + 1)
  for (const [index, word] of expected.entries()) {
    let diagonal = index
    let left = index + 1
    row = found.map((other, at) => {
      const above = row[at] as number
      left = Math.min(above + 1, left + 1, diagonal + (word === other ? 0 : 1))
      diagonal = above
      return left
    })
  }
  return row.at(-1) ?? expected.length
}

export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/[\u2018\u2019]/g, "'")
    .match(/[a-z0-9']+/g) ?? []
