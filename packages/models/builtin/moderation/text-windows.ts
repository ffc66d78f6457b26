// A long text is judged in pieces: what is said in one sentence must not drown in pages of harmless ones. Windows keep
// what belongs together, sentences stand for themselves.
const windowLetters = 300
/** Shorter texts are judged as a whole alone. */
const minLettersForSentences = 120
const minSentenceLetters = 20
const overlapLetters = 60
const wordEndWithin = 40

/** What is judged of a text; the highest scores count. */
export const textPieces = (text: string): string[] => [...textWindows(text), ...sentencesOf(text)]

export function textWindows(text: string): string[] {
  if (text.length <= windowLetters) return [text]
  const windows: string[] = []
  for (let from = 0; ; ) {
    const to = from + windowLetters >= text.length ? text.length : wordEndBefore(text, from + windowLetters)
    windows.push(text.slice(from, to))
    if (to === text.length) return windows
    from = wordEndBefore(text, to - overlapLetters)
  }
}

/** At a blank if one is near, so that words stay whole. */
function wordEndBefore(text: string, at: number): number {
  const blank = text.lastIndexOf(' ', at)
  return blank > at - wordEndWithin ? blank : at
}

/** Very short ones go with the next, very long ones are what windows are for. */
function sentencesOf(text: string): string[] {
  if (text.length < minLettersForSentences) return []
  const sentences: string[] = []
  let sentence = ''
  for (const part of text.split(/(?<=[.!?\n])\s+/)) {
    sentence = sentence === '' ? part : `${sentence} ${part}`
    if (sentence.length < minSentenceLetters) continue
    if (sentence.length <= windowLetters) sentences.push(sentence)
    sentence = ''
  }
  if (sentence !== '' && sentences.length > 0) sentences.push(sentence)
  return sentences.length > 1 ? sentences : []
}
