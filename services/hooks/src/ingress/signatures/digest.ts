// Message digests, compared without telling by the time taken where they differ.
import { createHmac, timingSafeEqual } from 'node:crypto'

export type Key = string | Uint8Array

export const hmac = (algorithm: string, key: Key, ...parts: (string | Uint8Array)[]): Buffer => {
  const mac = createHmac(algorithm, key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}

/** Whether one of those that came is one of those that are right. All are compared. */
export function isAnySame(received: readonly (Buffer | undefined)[], right: readonly Buffer[]): boolean {
  let isSame = false
  for (const one of received) {
    for (const other of right) {
      if (one !== undefined && one.length === other.length && timingSafeEqual(one, other)) isSame = true
    }
  }
  return isSame
}

/** Undefined when it is none. */
export function fromHex(text: string): Buffer | undefined {
  return text.length % 2 === 0 && /^[0-9a-f]+$/i.test(text) ? Buffer.from(text, 'hex') : undefined
}

export function fromBase64(text: string): Buffer | undefined {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined
}
