// The tokens Moonshine writes with: pieces of words, and single bytes for what has none.
import tokenizer from 'llama-tokenizer-js'

export const firstToken = 1
export const lastToken = 2
const byteToken = /^<0x([0-9A-F]{2})>$/
const wordStart = '\u2581'

/** The text of some tokens that follow one another, without the blank before it. */
export function textOf(tokens: readonly number[]): string {
  const bytes = tokens.map((token) => {
    const piece = tokenizer.vocabById[token] ?? ''
    const byte = byteToken.exec(piece)?.[1]
    return byte === undefined ? Buffer.from(piece.replaceAll(wordStart, ' ')) : Buffer.from(byte, 'hex')
  })
  return Buffer.concat(bytes).toString('utf8').trim()
}

/** As it is written after a blank. */
export const tokensOfWord = (word: string): number[] => tokenizer.encode(word, false, true)
