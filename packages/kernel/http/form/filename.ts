// The names of uploaded files: kept as the sender wrote them, except for what could do harm.

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** The last part of a path, without control characters. May be empty. */
export function safeFilename(name: string): string {
  const clean = name.toWellFormed().replace(controlCharacters, '')
  const last = clean.split(/[/\\]/).at(-1) ?? ''
  return last === '.' || last === '..' ? '' : last
}
