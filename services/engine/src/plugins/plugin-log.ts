// What a plugin said last: the reason why it did not come up, most likely.
import { open } from 'node:fs/promises'
import { parseEntry } from '../resources/containers/logs/log-entry.ts'

const maxBytes = 8 * 1024
const maxLines = 5

/** ` and said: …`, or nothing. */
export async function lastWords(path: string): Promise<string> {
  const file = await open(path, 'r').catch(() => undefined)
  if (file === undefined) return ''
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, Math.max(0, size - maxBytes))
    const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n').filter(Boolean)
    const said = lines.flatMap((line) => parseEntry(Buffer.from(line))?.log.trimEnd() ?? [])
    return said.length === 0 ? '' : `, and said: ${said.slice(-maxLines).join(' / ')}`
  } finally {
    await file.close()
  }
}
