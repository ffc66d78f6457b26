// A line of the IRC protocol, taken apart.

export interface IrcLine {
  /** In capital letters, or three digits. */
  command: string
  words: string[]
}

/** Tags and the sender are passed over. */
export function parseLine(text: string): IrcLine {
  const plain = text.replace(/^@\S+ +/, '').replace(/^:\S+ +/, '')
  const at = plain.indexOf(' :')
  const [head, last] = at < 0 ? [plain, undefined] : [plain.slice(0, at), plain.slice(at + 2)]
  const [command = '', ...words] = head.split(' ').filter((word) => word !== '')
  return { command: command.toUpperCase(), words: last === undefined ? words : [...words, last] }
}
