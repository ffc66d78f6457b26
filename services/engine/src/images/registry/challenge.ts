// What a registry wants to see before it answers: the WWW-Authenticate header.
import type { IncomingHttpHeaders } from 'node:http'

export interface Challenge {
  /** In small letters: `bearer`, `basic`. */
  scheme: string
  parameters: Record<string, string>
}

const maxHeaderLength = 8_192
const word = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y
const quoted = /"((?:[^"\\]|\\.)*)"/y
const gap = /[\s,]*/y
const equals = /\s*=\s*/y

/** Several challenges may stand in one header: `Bearer realm="…",service="…", Basic realm="…"`. */
export function readChallenges(headers: IncomingHttpHeaders): Challenge[] {
  const text = (headers['www-authenticate'] ?? '').slice(0, maxHeaderLength)
  const challenges: Challenge[] = []
  let at = 0
  const take = (form: RegExp): RegExpExecArray | null => {
    form.lastIndex = at
    const found = form.exec(text)
    if (found !== null) at = form.lastIndex
    return found
  }
  for (;;) {
    take(gap)
    const name = take(word)
    if (name === null) return challenges
    const last = challenges.at(-1)
    if (take(equals) === null) challenges.push({ scheme: name[0].toLowerCase(), parameters: {} })
    else {
      const value = take(quoted)?.[1]?.replace(/\\(.)/g, '$1') ?? take(word)?.[0] ?? ''
      if (last !== undefined) last.parameters[name[0].toLowerCase()] = value
    }
  }
}
