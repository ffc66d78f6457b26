// Where sentences end: in a text that is there, and in one that is still being written.
const terminator = /[.!?…]["'”’»)\]*_]*$/
const unspacedTerminator = /[。！？][」』”’）]*$/
// After these a full stop ends nothing.
const abbreviation =
  /(?:^|[\s("'])(?:\p{Lu}|Mr|Mrs|Ms|Dr|Prof|St|No|Nr|vs|approx|ca|fig|Fig|e\.g|i\.e|cf|z\.\s?B|d\.\s?h|bzw)\.$/u
const listNumber = /^\s*(?:[-*]\s*)?\d+[.)]$/

/** The end of a sentence shows in its last letters. */
export const endLetters = 24

/** Whether a sentence that goes on with white space has ended. Its last letters are enough. */
export const endsSentence = (end: string): boolean =>
  (terminator.test(end) && !abbreviation.test(end) && !listNumber.test(end)) || endsUnspaced(end)

/** Whether it has ended whatever comes: in scripts that put no space after a full stop. */
export const endsUnspaced = (end: string): boolean => unspacedTerminator.test(end)

const pieces = /[^\n.!?。！？]*(?:[.!?。！？](?![\s"'”’»)\]*_])[^\n.!?。！？]*)*(?:[.!?。！？]+["'”’»)\]*_]*)?\s*/gu

/** The sentences of a text; together they are the text. A line is one sentence at least. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = []
  let open = ''
  for (const [piece] of text.matchAll(pieces)) {
    open += piece
    if (piece.includes('\n') || endsSentence(open.slice(-2 * endLetters).trimEnd())) {
      sentences.push(open)
      open = ''
    }
  }
  if (open !== '') sentences.push(open)
  return sentences
}
