// The log of an Atoll without a terminal: a file in the data folder that does not grow without end.
import { openSync } from 'node:fs'
import { copyFile, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'

const maxBytes = 64 * 1024 * 1024
const lookEveryMs = 60_000

export const logFileIn = (folder: string): string => join(folder, 'atoll.log')

/** For appending: what is written after the file was cut lands at its new end. */
export const openLogFile = (path: string): number => openSync(path, 'a', 0o600)

/** The part before goes to `atoll.log.1`. Lines of the moment between copy and cut are lost. */
export function keepShort(path: string): void {
  const look = async (): Promise<void> => {
    if ((await stat(path)).size < maxBytes) return
    await copyFile(path, `${path}.1`)
    await truncate(path)
  }
  setInterval(() => void look().catch(() => undefined), lookEveryMs).unref()
}
