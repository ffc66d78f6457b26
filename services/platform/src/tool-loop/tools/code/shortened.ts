// Long texts lose their middle: how something began and how it ended tells most.
export function shortened(text: string, maxLetters: number): string {
  if (text.length <= maxLetters) return text
  const cut = `\n… ${text.length - maxLetters} characters left out …\n`
  const room = maxLetters - cut.length
  if (room <= 0) return text.slice(0, Math.max(0, maxLetters))
  const tail = Math.floor(room / 3)
  return (text.slice(0, room - tail) + cut + text.slice(text.length - tail)).toWellFormed()
}
