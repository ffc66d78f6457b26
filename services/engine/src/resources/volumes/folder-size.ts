// Bytes of all files below a folder. A file with several names counts once.
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

const atOnce = 32

export async function folderSize(folder: string): Promise<number> {
  const waiting = [folder]
  const seen = new Set<string>()
  let bytes = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const here = next
    const entries = await readdir(here, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) if (entry.isDirectory()) waiting.push(join(here, entry.name))
    const files = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => join(here, name))
    for (let at = 0; at < files.length; at += atOnce) {
      const found = await Promise.all(files.slice(at, at + atOnce).map((file) => lstat(file).catch(() => undefined)))
      for (const status of found) {
        if (status === undefined || isAnother(status, seen)) continue
        bytes += status.size
      }
    }
  }
  return bytes
}

function isAnother({ nlink, dev, ino }: { nlink: number; dev: number; ino: number }, seen: Set<string>): boolean {
  if (nlink < 2) return false
  const key = `${dev}:${ino}`
  if (seen.has(key)) return true
  seen.add(key)
  return false
}
