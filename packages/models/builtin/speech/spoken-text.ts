// A text as it is read aloud, in the letters the synthesizer knows.
const replacements: [RegExp, string][] = [
  [/[\u2018\u2019\u02bc]/g, "'"],
  [/[\u201c\u201d\u00ab\u00bb]/g, '"'],
  [/[\u2013\u2014]/g, ' - '],
  [/\u2026/g, '...'],
]

export function spokenText(text: string): string {
  let spoken = text
  for (const [from, to] of replacements) spoken = spoken.replace(from, to)
  return spoken
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\n\x20-\x7e]/g, ' ')
}
