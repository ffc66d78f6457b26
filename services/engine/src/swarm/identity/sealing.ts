// Keeps what is secret in a swarm from whoever reads its disks. The key of the swarm seals secrets, configs, tokens and
// credentials; with autolock the key itself lies sealed under an unlock key, which only people keep.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/** Base64 of nonce, tag and text. */
export type Sealed = string

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
const unlockKeyPrefix = 'SWMKEY-1-'

export class Sealing {
  readonly #key: Buffer

  constructor(key: Buffer) {
    this.#key = key
  }

  /** `place` says what it is: sealed bytes cannot be moved elsewhere. */
  seal(data: Uint8Array, place: string): Sealed {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(place))
    const text = Buffer.concat([cipher.update(data), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64')
  }

  /** Throws where the key or the place is another. */
  open(sealed: Sealed, place: string): Buffer {
    const bytes = Buffer.from(sealed, 'base64')
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, nonceBytes))
    decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()])
  }
}

export const newSwarmKey = (): Buffer => randomBytes(keyBytes)

export const newUnlockKey = (): string =>
  `${unlockKeyPrefix}${randomBytes(keyBytes).toString('base64').replace(/=+$/, '')}`

/** The swarm's key as it lies on the disk of a locked manager. */
export const wrapKey = (key: Buffer, unlockKey: string): Sealed => lockOf(unlockKey).seal(key, 'swarm key')

/** Undefined: it is another unlock key. */
export function unwrapKey(wrapped: Sealed, unlockKey: string): Buffer | undefined {
  if (!unlockKey.startsWith(unlockKeyPrefix)) return undefined
  try {
    return lockOf(unlockKey).open(wrapped, 'swarm key')
  } catch {
    return undefined
  }
}

/** Unlock keys are random already: a hash makes them a key. */
const lockOf = (unlockKey: string): Sealing => new Sealing(createHash('sha256').update(unlockKey).digest())
