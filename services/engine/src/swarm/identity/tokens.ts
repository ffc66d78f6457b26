// Ids and join tokens, in the alphabet that swarms use: digits and small letters.
import { createHash, randomBytes } from 'node:crypto'

const idLetters = 25
const digestLetters = 50
const secretBytes = 16

const inLetters = (hex: string, letters: number): string => BigInt(`0x${hex}`).toString(36).padStart(letters, '0')

/** 25 letters, from 32 hexadecimal digits. */
export const swarmId = (hex: string): string => inLetters(hex, idLetters)

export const newTokenSecret = (): string => inLetters(randomBytes(secretBytes).toString('hex'), idLetters)

/** Names the authority: whoever joins knows that it speaks to the right swarm. */
export function joinToken(authorityCertificate: string, secret: string): string {
  const digest = createHash('sha256').update(authorityCertificate).digest('hex')
  return `SWMTKN-1-${inLetters(digest, digestLetters)}-${secret}`
}
