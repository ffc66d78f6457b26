// Right or wrong, by rules that need no judge.
import { isDeepStrictEqual } from 'node:util'

const articles = /\b(a|an|the)\b/g

/** Lower case, without articles, marks and needless spaces. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/(\d),(?=\d{3})/g, '$1')
    .replace(articles, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

export const holds = (text: string, value: string): boolean => ` ${plain(text)} `.includes(` ${plain(value)} `)

const refusals = [
  /\b(text|passage|document|context|article|notice|note)s? (does|do|did)(n't| not) /i,
  /\bnot (stated|mentioned|given|said|specified|contained|provided|in the (text|passage))/i,
  /\b(can't|cannot|could not|couldn't) find\b/i,
  /\b(don't|do not) know\b/i,
  /\bno information\b/i,
]

export const isRefusal = (text: string): boolean => refusals.some((pattern) => pattern.test(text))

export const isSameCall = (
  calls: readonly { name: string; arguments: unknown }[],
  wanted: { name: string; arguments: unknown },
): boolean => calls.length === 1 && isDeepStrictEqual(calls[0], wanted)

/** A call with, for each argument, the values that are right; '' among them: it may be left out. */
export interface WantedCall {
  name: string
  arguments: Record<string, unknown[]>
}

export function isAllowedCall(found: { name: string; arguments: unknown } | undefined, wanted: WantedCall): boolean {
  if (found?.name !== wanted.name || typeof found.arguments !== 'object' || found.arguments === null) return false
  const given = found.arguments as Record<string, unknown>
  if (Object.keys(given).some((name) => !(name in wanted.arguments))) return false
  return Object.entries(wanted.arguments).every(([name, allowed]) =>
    name in given ? allowed.some((value) => isAllowedValue(given[name], value)) : allowed.includes(''),
  )
}

/** Texts whatever their case and marks; within objects each field has its own list of allowed values. */
function isAllowedValue(given: unknown, allowed: unknown): boolean {
  if (typeof given === 'string' && typeof allowed === 'string') return plain(given) === plain(allowed)
  if (Array.isArray(given) && Array.isArray(allowed))
    return given.length === allowed.length && given.every((one, index) => isAllowedValue(one, allowed[index]))
  if (typeof given !== 'object' || typeof allowed !== 'object' || given === null || allowed === null)
    return isDeepStrictEqual(given, allowed)
  const fields = allowed as Record<string, unknown>
  const values = given as Record<string, unknown>
  return Object.keys({ ...fields, ...values }).every((name) => {
    const choices = fields[name]
    if (!Array.isArray(choices)) return isDeepStrictEqual(values[name], choices)
    return name in values ? choices.some((choice) => isAllowedValue(values[name], choice)) : choices.includes('')
  })
}

/** A missing field and null are the same. */
export function isSameRecord(found: unknown, expected: Record<string, unknown>): boolean {
  if (typeof found !== 'object' || found === null) return false
  const values = found as Record<string, unknown>
  return [...new Set([...Object.keys(values), ...Object.keys(expected)])].every((name) =>
    isDeepStrictEqual(values[name] ?? null, expected[name] ?? null),
  )
}

/** The same words again and again. */
export function loops(text: string): boolean {
  const words = plain(text).split(' ')
  const seen = new Map<string, number>()
  for (let at = 0; at + 4 <= words.length; at++) {
    const run = words.slice(at, at + 4).join(' ')
    seen.set(run, (seen.get(run) ?? 0) + 1)
  }
  return [...seen.values()].some((count) => count > 3)
}
