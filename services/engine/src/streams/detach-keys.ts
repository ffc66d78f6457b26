// The keys that let a client leave a terminal without ending what runs in it: `ctrl-p,ctrl-q` unless told otherwise.
import { Transform, type TransformCallback } from 'node:stream'

const maxKeys = 64
const controlKeys: Record<string, number> = { '@': 0, '[': 27, '\\': 28, ']': 29, '^': 30, _: 31 }

export const defaultDetachKeys: readonly number[] = [16, 17]

/** Undefined when the text is no sequence of keys. Empty: the default. */
export function parseDetachKeys(text: string | undefined): readonly number[] | undefined {
  if (text === undefined || text === '') return defaultDetachKeys
  const keys = splitKeys(text).map(parseKey)
  return keys.length > maxKeys || keys.includes(undefined) ? undefined : (keys as number[])
}

/** `ctrl-,` is a key of its own that holds the separator. */
const splitKeys = (text: string): string[] =>
  text
    .replaceAll('ctrl-,', 'ctrl-comma')
    .split(',')
    .map((key) => key.replace('ctrl-comma', 'ctrl-,'))

function parseKey(key: string): number | undefined {
  const bytes = Buffer.from(key)
  if (bytes.length === 1) return bytes[0]
  const [, letter] = /^ctrl-(.)$/.exec(key) ?? []
  if (letter === undefined) return undefined
  if (letter === ',') return ','.charCodeAt(0) & 31
  if (/^[a-z]$/.test(letter)) return letter.charCodeAt(0) & 31
  return controlKeys[letter]
}

/** Passes what a client types. When the keys come, `onDetach` is called and nothing passes any more. */
export class DetachWatch extends Transform {
  readonly #keys: Buffer
  readonly #onDetach: () => void
  /** How many of the keys have come so far; they are held back. */
  #matched = 0
  #isDetached = false

  constructor(keys: readonly number[], onDetach: () => void) {
    super()
    this.#keys = Buffer.from(keys)
    this.#onDetach = onDetach
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let passFrom = 0
    for (let at = 0; at < chunk.length && !this.#isDetached; at++) {
      if (chunk[at] === this.#keys[this.#matched]) {
        if (this.#matched === 0) this.#pass(chunk, passFrom, at)
        this.#matched += 1
        passFrom = at + 1
        if (this.#matched === this.#keys.length) this.#detach()
      } else if (this.#matched > 0) {
        this.#letGo()
        // The key that broke the sequence may begin it anew.
        passFrom = at
        at -= 1
      }
    }
    if (!this.#isDetached && this.#matched === 0) this.#pass(chunk, passFrom, chunk.length)
    done()
  }

  override _flush(done: TransformCallback): void {
    if (!this.#isDetached) this.#letGo()
    done()
  }

  #pass(chunk: Buffer, from: number, to: number): void {
    if (to > from) this.push(chunk.subarray(from, to))
  }

  #letGo(): void {
    this.#pass(this.#keys, 0, this.#matched)
    this.#matched = 0
  }

  #detach(): void {
    this.#isDetached = true
    this.#onDetach()
  }
}
