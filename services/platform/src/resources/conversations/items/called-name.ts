// The name by which a model calls a function of a namespace: models know functions only, and their names are short.
import { createHash } from 'node:crypto'

const maxLetters = 64
const digestLetters = 8

/** The same for the same function always: histories are read again. */
export function calledName(namespace: string | null | undefined, name: string): string {
  if (namespace == null) return name
  const whole = `${namespace}__${name}`
  if (whole.length <= maxLetters) return whole
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, digestLetters)
  return `${whole.slice(0, maxLetters - digestLetters - 1)}_${digest}`
}
