// What a reply says once the acknowledgement is taken off: HEARTBEAT_OK means that nothing needs attention.
// Replies can be long and odd, so it is read letter by letter, each letter once.
const token = 'HEARTBEAT_OK'
const maxTagLetters = 43
const tagAtStart = new RegExp(`<\\/?[a-z][^<>]{0,${maxTagLetters - 3}}>`, 'iy')
const wholeTag = /^<\/?[a-z][^<>]*>$/i
const isMark = (letter: string): boolean => /[*_~`\s]/.test(letter)
const isWord = (letter: string): boolean => /[\p{L}\p{N}]/u.test(letter)
const onlyPunctuation = /^[.!,;:-]?$/

export interface Reading {
  /** What is left to deliver. */
  text: string
  wasAcknowledged: boolean
}

/** Of a heartbeat: taken off its start and its end; what is left counts only when it is longer than `maxRest`. */
export function readHeartbeatReply(reply: string, maxRest: number): Reading {
  const start = afterTokens(reply)
  const end = beforeTokens(reply, start)
  const wasAcknowledged = start > 0 || end < reply.length
  const text = reply.slice(start, end).trim()
  const isDone = wasAcknowledged && (text.length <= maxRest || onlyPunctuation.test(text))
  return { text: isDone ? '' : text, wasAcknowledged }
}

/** Of any other turn: only a reply that is nothing but the acknowledgement is one. HOOK-053 */
export function isOnlyAcknowledgement(reply: string): boolean {
  const { text, wasAcknowledged } = readHeartbeatReply(reply, 0)
  return wasAcknowledged && text === ''
}

/** Where the text begins behind all acknowledgements at its start. */
function afterTokens(text: string): number {
  let start = 0
  for (;;) {
    const at = skipDressing(text, start)
    if (!isTokenAt(text, at)) return start === 0 ? 0 : at
    start = at + token.length
  }
}

/** Where the text ends before all acknowledgements at its end. */
function beforeTokens(text: string, start: number): number {
  let end = text.length
  for (;;) {
    const bare = skipDressingBack(text, end, start)
    const at = skipDressingBack(text, /[.!]/.test(text.charAt(bare - 1)) ? bare - 1 : bare, start) - token.length
    if (at < start || !isTokenAt(text, at)) return end === text.length ? end : bare
    end = at
  }
}

/** It stands alone: no part of a longer word. */
function isTokenAt(text: string, at: number): boolean {
  if (text.slice(at, at + token.length).toUpperCase() !== token) return false
  const end = at + token.length
  const next = text.charAt(end) === '_' ? end + 1 : end
  const last = text.charAt(at - 1) === '_' ? at - 2 : at - 1
  return !isWord(text.charAt(next)) && !isWord(text.charAt(last))
}

/** Bold, italics, code, spaces, HTML tags. */
function skipDressing(text: string, from: number): number {
  let at = from
  for (;;) {
    while (at < text.length && isMark(text.charAt(at))) at++
    tagAtStart.lastIndex = at
    if (!tagAtStart.test(text)) return at
    at = tagAtStart.lastIndex
  }
}

function skipDressingBack(text: string, from: number, least: number): number {
  let at = from
  for (;;) {
    while (at > least && isMark(text.charAt(at - 1))) at--
    if (text.charAt(at - 1) !== '>') return at
    const window = text.slice(Math.max(least, at - maxTagLetters), at)
    const tag = window.slice(window.lastIndexOf('<'))
    if (!wholeTag.test(tag)) return at
    at -= tag.length
  }
}
