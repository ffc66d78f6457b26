// About how many tokens a text has, whatever the model: rather too many than too few.
const lettersPerToken = 6
const parts = /[A-Za-z]+|[^\sA-Za-z]/g

export function roughTokens(text: string): number {
  let count = 0
  for (const [part] of text.matchAll(parts)) {
    if (/^[A-Za-z]/.test(part)) count += Math.ceil(part.length / lettersPerToken)
    // Small vocabularies take a letter of another script apart, byte by byte.
    else count += part.charCodeAt(0) < 0x80 ? 1 : 2
  }
  return count
}
