// Digests, and the ids of layers that stand on one another.
import { createHash } from 'node:crypto'
import { invalidParameter } from '../errors.ts'

const form = /^sha256:[0-9a-f]{64}$/

export const isDigest = (text: string): boolean => form.test(text)

/** For what is small enough to be hashed at once. */
export const digestOf = (bytes: Uint8Array | string): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

/** The 64 digits; what comes from outside is checked before it becomes a file name. */
export function digitsOf(digest: string): string {
  if (!isDigest(digest)) throw invalidParameter(`invalid digest format: ${digest.slice(0, 100)}`)
  return digest.slice('sha256:'.length)
}

/** Each layer with all below it, the bottom one first. */
export function chainIds(diffIds: readonly string[]): string[] {
  const chain: string[] = []
  for (const diffId of diffIds) {
    const below = chain.at(-1)
    chain.push(below === undefined ? diffId : digestOf(`${below} ${diffId}`))
  }
  return chain
}
