// The blocks of a text that grows at its end, as an answer does: those that are finished are kept, and only the last
// ones are read anew. Reading all of it with every piece would cost more the longer the answer is.
import { lexer, type Token } from 'marked'

export interface Blocks {
  text: string
  tokens: Token[]
}

/** What follows can still change the last block (a list goes on), and what the one before it has become (a table). */
const openBlocks = 2

export function blocksOf(text: string): Blocks {
  return { text, tokens: lexer(text, { gfm: true }) }
}

/** The same as `blocksOf(text)`, but for links whose address is only named further down: those wait for the end. */
export function grownBlocks(before: Blocks | undefined, text: string): Blocks {
  // Lines that end in \r are read as \n: places in the text would not be those of the blocks.
  if (before === undefined || !text.startsWith(before.text) || text.includes('\r')) return blocksOf(text)
  const kept = before.tokens.slice(0, firstOpen(before.tokens))
  const from = kept.reduce((length, { raw }) => length + raw.length, 0)
  return { text, tokens: [...kept, ...lexer(text.slice(from), { gfm: true })] }
}

function firstOpen(tokens: readonly Token[]): number {
  let open = 0
  for (let index = tokens.length - 1; index >= 0; index--) {
    if (tokens[index]?.type !== 'space') open += 1
    if (open === openBlocks) return index
  }
  return 0
}
