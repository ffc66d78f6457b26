// Commands as plain lines, the way people type them: words, and what stands in quotes, told apart as the server does it.
import { encodeCommand } from './request-scanner.ts'

const blanks = /[ \t\n\r\v\f]*/y
/** A word may end in something quoted, and then nothing but a blank follows. */
const word =
  /([^ \t\n\r"']*)(?:"((?:\\[\s\S]|[^"\\])*)"(?=[ \t\n\r\v\f]|$)|'((?:\\'|[^'\\]|\\(?!'))*)'(?=[ \t\n\r\v\f]|$)|(?=[ \t\n\r]|$))/y
const escaped = /\\(?:x([0-9a-fA-F]{2})|([\s\S]))/g
const controls: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' }

/** The same command as an array; undefined for an empty line, and `unbalanced` when its quotes have no end. */
export function inlineCommand(line: Buffer): Buffer | 'unbalanced' | undefined {
  const text = line.toString('latin1').replace(/\r?\n$/, '')
  const words: Buffer[] = []
  for (let at = endOf(blanks, text, 0); at < text.length; at = endOf(blanks, text, at)) {
    word.lastIndex = at
    const [whole, bare = '', double, single] = word.exec(text) ?? []
    if (whole === undefined) return 'unbalanced'
    words.push(
      Buffer.from(bare + (double?.replace(escaped, plainOf) ?? single?.replaceAll("\\'", "'") ?? ''), 'latin1'),
    )
    at += whole.length
  }
  return words.length === 0 ? undefined : encodeCommand(words)
}

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return from + (pattern.exec(text)?.[0].length ?? 0)
}

const plainOf = (_: string, hex: string | undefined, letter = ''): string =>
  hex === undefined ? (controls[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16))
