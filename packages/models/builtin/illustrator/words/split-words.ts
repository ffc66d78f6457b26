// A prompt as words, without what it says of the kind of picture; what stands in quotes is lettering.
import { pictureWords, stylePhrases } from './phrases.ts'

const maxWords = 900
const maxLetteringLetters = 80
const quoted = /[“"«]([^”"»]{1,300})[”"»]|(?<![\p{L}\d])['‘]([^'’]{1,300})['’](?![\p{L}\d])/gu
const letteringWord = /^\ue000(\d+)$/

export interface SplitPrompt {
  /** Small letters; punctuation is a word of its own, and so is a place where lettering stood. */
  words: string[]
  letterings: string[]
}

export function splitPrompt(prompt: string): SplitPrompt {
  const letterings: string[] = []
  const withoutQuotes = prompt.replaceAll('\ue000', ' ').replace(quoted, (_whole, double?: string, single?: string) => {
    letterings.push((double ?? single ?? '').replace(/\s+/g, ' ').trim().slice(0, maxLetteringLetters))
    return ` \ue000${letterings.length - 1} `
  })
  const plain = withoutQuotes.replace(pictureWords, ' ').replace(stylePhrases, ' ').toLowerCase().replace(/’/g, "'")
  const words = (plain.match(/\ue000\d+|[\p{L}\d][\p{L}\d'-]*|[,.;:!?]/gu) ?? []).slice(0, maxWords)
  return { words, letterings }
}

/** Which lettering stood here; undefined for any other word. */
export function letteringAt(word: string): number | undefined {
  const number = letteringWord.exec(word)?.[1]
  return number === undefined ? undefined : Number(number)
}
