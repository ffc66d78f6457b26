// Text that somebody outside wrote, made fit for a terminal: it can neither move the cursor nor change a colour.

const control = /\p{Cc}+/gu
const maxLineCharacters = 120

/** On one line, and not a long one. */
export function onOneLine(text: string, most = maxLineCharacters): string {
  const line = text.replace(control, ' ').trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

/** With its lines, each indented. */
export const indented = (text: string): string =>
  text
    .split(/\r\n|[\r\n]/)
    .map((line) => `  ${line.replace(control, ' ')}\n`)
    .join('')

/** JSON leaves some of them as they are. */
export const jsonText = (value: unknown): string =>
  `${JSON.stringify(value, null, 2).replace(/[\u007f-\u009f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)}\n`
