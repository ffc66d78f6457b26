// How far a container's log has been delivered: on disk after every delivery, so that a killed engine goes on from there.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LogLine } from './log-driver.ts'

export interface Position {
  /** Of the file, by its first line: names change with every rotation. */
  mark: string
  /** The end of the last line that was delivered. */
  offset: number
  /** Lines of which only the beginning was delivered. */
  parts: OpenParts
}

export type OpenParts = Partial<Record<LogLine['stream'], { id: string; ordinal: number }>>

/** In a folder of its own: whoever watches the container's folder is not woken by every step. */
const placeOf = (folder: string): string => join(folder, 'forwarded')

export async function readPosition(folder: string): Promise<Position | undefined> {
  try {
    const read: unknown = JSON.parse(await readFile(join(placeOf(folder), 'position.json'), 'utf8'))
    return isPosition(read) ? read : undefined
  } catch {
    return undefined
  }
}

function isPosition(read: unknown): read is Position {
  const { mark, offset, parts } = (read ?? {}) as Partial<Position>
  return typeof mark === 'string' && Number.isSafeInteger(offset) && typeof parts === 'object'
}

export async function writePosition(folder: string, position: Position): Promise<void> {
  const place = placeOf(folder)
  const text = JSON.stringify(position)
  const fresh = join(place, 'position.new')
  await writeFile(fresh, text).catch(async (error: NodeJS.ErrnoException) => {
    // Of a container that is gone nothing is made again.
    if (error.code !== 'ENOENT') throw error
    await mkdir(place)
    await writeFile(fresh, text)
  })
  await rename(fresh, join(place, 'position.json'))
}
