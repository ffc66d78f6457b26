// A request's texts in parts of bounded size, so that a turn of the model is short whatever was sent.
const maxPartCharacters = 4096
/** How far back a part is cut to end with a whole word. */
const maxBackCharacters = 256

export interface Part {
  /** Which input it is from. */
  input: number
  text: string
}

export function cutParts(texts: readonly string[]): Part[] {
  return texts.flatMap((text, input) => {
    const parts: Part[] = []
    for (let from = 0; from < text.length; ) {
      const to = endOfPart(text, from)
      parts.push({ input, text: text.slice(from, to) })
      from = to
    }
    return parts
  })
}

function endOfPart(text: string, from: number): number {
  const limit = from + maxPartCharacters
  if (limit >= text.length) return text.length
  const space = text.lastIndexOf(' ', limit)
  if (space > limit - maxBackCharacters) return space + 1
  const insideLetter = /[\udc00-\udfff]/.test(text.charAt(limit))
  return insideLetter ? limit - 1 : limit
}
