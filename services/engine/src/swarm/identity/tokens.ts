// Ids and join tokens, in the alphabet that swarms use: digits and small letters.
import { createHash, randomBytes } from 'node:crypto'

const idLetters = 25
const digestLetters = 50
const secretBytes = 16

const inLetters = (hex: string, letters: number): string => BigInt(`0x${hex}`).toString(36).padStart(letters, '0')

/** 25 letters, from 32 hexadecimal digits. */
export const swarmId = (hex: string): string => inLetters(hex, idLetters)

export const newTokenSecret = (): string => inLetters(randomBytes(secretBytes).toString('hex'), idLetters)

const prefix = 'SWMTKN-1-'
const tokenPattern = new RegExp(`^${prefix}([0-9a-z]{${digestLetters}})-([0-9a-z]{${idLetters}})$`)

/** Names the authority: whoever joins knows that it speaks to the right swarm. */
export const joinToken = (authorityCertificate: string, secret: string): string =>
  `${prefix}${digestOf(authorityCertificate)}-${secret}`

/** What it has of the authority, and what a manager wants to hear; undefined where it is no token. */
export function readJoinToken(token: string): { digest: string; secret: string } | undefined {
  const [, digest, secret] = tokenPattern.exec(token) ?? []
  return digest === undefined || secret === undefined ? undefined : { digest, secret }
}

export const digestOf = (authorityCertificate: string): string =>
  inLetters(createHash('sha256').update(authorityCertificate).digest('hex'), digestLetters)
