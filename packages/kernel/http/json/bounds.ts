// How much structure a JSON body may have. Bytes alone say little: 30 MB of one text cost nothing, 30 MB of brackets
// or of small values cost seconds.
export interface JsonBounds {
  maxDepth: number
  /** Of all values but numbers: texts, objects, arrays, true, false and null. */
  maxValues: number
  maxNumbers: number
  /** Of one object: they are kept as a dictionary, which is slow to fill and to check. */
  maxKeys: number
}

export const defaultBounds: JsonBounds = { maxDepth: 64, maxValues: 100_000, maxNumbers: 100_000, maxKeys: 4_096 }

/** Why a body is refused; `limit` is the bound that it broke. */
export class JsonRefused extends Error {
  readonly reason: 'depth' | 'values' | 'numbers' | 'keys'
  readonly limit: number

  constructor(reason: JsonRefused['reason'], limit: number) {
    super(`too many ${reason}: more than ${limit}`)
    this.reason = reason
    this.limit = limit
  }
}

export class JsonInvalid extends Error {}
