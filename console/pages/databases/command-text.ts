// Commands and replies as redis-cli writes them.

const part = /"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g
const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t' }

export const splitCommand = (text: string): string[] =>
  Array.from(text.matchAll(part), ([, quoted, plain, bare]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter)
    return plain ?? bare ?? ''
  })

export function replyText(reply: unknown, indent = ''): string {
  if (reply === null) return '(nil)'
  if (typeof reply === 'number') return `(integer) ${reply}`
  if (!Array.isArray(reply)) return String(reply)
  if (reply.length === 0) return '(empty array)'
  const deeper = `${indent}   `
  return reply.map((one, index) => `${index === 0 ? '' : indent}${index + 1}) ${replyText(one, deeper)}`).join('\n')
}
