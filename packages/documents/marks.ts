// What a reader knows of a document's structure, said between the pieces of its text. The text is the same without it.

/** What is not cut in the middle where it fits into a chunk. */
export type Block = 'table' | 'list' | 'code'

export type Mark =
  /** Of the whole document. */
  | { mark: 'title'; text: string }
  /** The heading's own text follows. Level 1 is the highest. */
  | { mark: 'heading'; level: number; text: string }
  | { mark: 'begin'; block: Block }
  /** The row before says what stands in the columns of those that follow in this table. */
  | { mark: 'header'; text: string }
  /** Of the block begun last. */
  | { mark: 'end' }

export type MarkedText = string | Mark

/** More is no heading that anybody wants to read. */
export const maxHeadingLength = 1_000

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
