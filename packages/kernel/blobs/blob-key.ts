// A blob's key: when its writing began, then 128 random bits. Listing a store so needs no further look at each blob.
import type { Clock } from '../clock/clock.ts'
import type { Ids } from '../ids/ids.ts'

// Nine letters of base 36 reach the year 5188 and keep keys in order of time.
const timeLetters = 9
const pattern = /^[0-9a-z]{9}-[0-9a-f]{32}$/

export function newBlobKey(clock: Clock, ids: Ids): string {
  return `${clock.now().toString(36).padStart(timeLetters, '0')}-${ids.hex()}`
}

export const isBlobKey = (text: string): boolean => pattern.test(text)

/** Every store checks keys on the way in: a key becomes part of a path or of an address. */
export function assertBlobKey(key: string): void {
  if (!isBlobKey(key)) throw new TypeError(`Not the key of a blob: ${JSON.stringify(key).slice(0, 80)}`)
}

/** Milliseconds since the epoch. */
export const blobStartedAt = (key: string): number => Number.parseInt(key.slice(0, timeLetters), 36)

/** Two letters that spread keys evenly over 256 folders. */
export const blobFolder = (key: string): string => key.slice(timeLetters + 1, timeLetters + 3)
