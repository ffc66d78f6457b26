import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** The SHA-256 of a file's content, as hexadecimal digits. */
export async function fileSha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(file, { highWaterMark: 1 << 20 })) hash.update(piece)
  return hash.digest('hex')
}
