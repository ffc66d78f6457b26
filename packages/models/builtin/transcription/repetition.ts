// How much a text repeats itself, told by how well it compresses.
import { deflateSync } from 'node:zlib'

/** Words that people say compress less. */
const mostOfSpeech = 2.4

export function compressionRatio(text: string): number {
  const bytes = Buffer.from(text)
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length
}

export const isRepeating = (text: string): boolean => compressionRatio(text) > mostOfSpeech
