// What a server says of why it does not start.
import { openOwn } from './shard-folder.ts'

const maxReadBytes = 64 * 1024
const maxWords = 600

/** "12345:M 16 Nov 2026 02:00:00.000 # ": process, role, time, level. */
const opening = /^\d+:[A-Z] \d+ \w+ \d+ [\d:.]+ ([.*#-]) /
/** Said at every start. */
const usual =
  /overcommit_memory|maxclients|maximum open files|Server initialized|oO0OoO0OoO0Oo|Transparent Huge Pages|Configuration loaded|TCP backlog setting|DEPRECATED|Redis version=|Valkey version=/i

/** Its warnings, and what it says of its configuration. */
export function reasonsIn(log: string): string {
  const lines = log.split('\n').filter((line) => line.trim() !== '' && !usual.test(line))
  const said = lines.flatMap((line) => {
    const [prefix, level] = opening.exec(line) ?? []
    if (prefix === undefined) return [line.trim()]
    return level === '#' ? [line.slice(prefix.length).trim()] : []
  })
  const words = said.join('; ')
  return words.length > maxWords ? `…${words.slice(-maxWords)}` : words || 'it ended without a word.'
}

export async function readLogEnd(path: string): Promise<string> {
  await using file = await openOwn(path)
  const { size } = await file.stat()
  const bytes = Buffer.alloc(Math.min(size, maxReadBytes))
  await file.read(bytes, 0, bytes.length, size - bytes.length)
  return bytes.toString()
}
