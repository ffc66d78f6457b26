// Cuts a text into phrases that are spoken one after the other: at the ends of sentences, and in a long one at a comma
// or between words. The first is short, so that it is heard soon.
const maxLetters = 220
const maxFirstLetters = 70

export function phrasesOf(text: string): string[] {
  const phrases: string[] = []
  for (const sentence of sentencesOf(text)) {
    let rest = sentence
    for (;;) {
      const most = phrases.length === 0 ? maxFirstLetters : maxLetters
      if (rest.length <= most) break
      const at = breakWithin(rest, most)
      phrases.push(rest.slice(0, at).trim())
      rest = rest.slice(at).trim()
    }
    if (rest !== '') phrases.push(rest)
  }
  return phrases
}

const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.!?][)"']*)\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[a-z0-9]/i.test(sentence))

function breakWithin(text: string, most: number): number {
  const part = text.slice(0, most + 1)
  const comma = Math.max(...[', ', '; ', ': ', ' - '].map((mark) => part.lastIndexOf(mark)))
  if (comma > most / 4) return comma + 1
  const blank = part.lastIndexOf(' ')
  return blank > 0 ? blank : most
}
