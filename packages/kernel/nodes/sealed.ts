// What nodes say to one another: encrypted and signed with the key of the group, so that it needs no certificate, and
// nobody else can read, make or change it.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'

const cipher = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** `bound`: what both sides know it belongs to; sealed for something else it does not open. */
export function seal(key: Buffer, bound: string, message: unknown): Buffer {
  const iv = randomBytes(ivBytes)
  const sealing = createCipheriv(cipher, key, iv).setAAD(Buffer.from(bound))
  const parts = [iv, sealing.update(serialize(message)), sealing.final()]
  return Buffer.concat([...parts, sealing.getAuthTag()])
}

/** Undefined: it was not sealed with this key for this. */
export function unseal(key: Buffer, bound: string, bytes: Buffer): unknown {
  if (bytes.length < ivBytes + tagBytes) return undefined
  const end = bytes.length - tagBytes
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
  opening.setAAD(Buffer.from(bound)).setAuthTag(bytes.subarray(end))
  try {
    return deserialize(Buffer.concat([opening.update(bytes.subarray(ivBytes, end)), opening.final()]))
  } catch {
    return undefined
  }
}

/** An answer belongs to its question. */
export const idOf = (sealed: Buffer): string => sealed.subarray(0, ivBytes).toString('hex')
