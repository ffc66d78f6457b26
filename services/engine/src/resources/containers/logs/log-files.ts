// The files of a log: `log.json` is written to; `log.json.1`, `log.json.2`, … are older, and may be compressed as
// `log.json.1.gz`. They may be rotated and compressed meanwhile.
import { type FileHandle, open, stat } from 'node:fs/promises'
import { compressedMark, openCompressed } from './compressed-file.ts'
import { markOf } from './file-mark.ts'

/** More than any log is set to keep. */
const maxFiles = 1_000

export interface LogFile {
  handle: FileHandle
  /** Undefined: it was compressed, and has no name. */
  inode: bigint | undefined
  /** Files between this one and the one before are gone. */
  isAfterGap?: boolean
}

const nameOf = (path: string, age: number): string => (age === 0 ? path : `${path}.${age}`)

async function openFile(path: string): Promise<LogFile | undefined> {
  const handle = await open(path, 'r').catch(absent)
  if (handle === undefined) {
    const unpacked = await openCompressed(`${path}.gz`).catch(absent)
    return unpacked && { handle: unpacked, inode: undefined }
  }
  const { ino: inode } = await handle.stat({ bigint: true })
  return { handle, inode }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

export const closeQuietly = ({ handle }: LogFile): void => void handle.close().catch(() => undefined)

/** The one that is written to. */
export const openNewestFile = (path: string): Promise<LogFile | undefined> => openFile(path)

/** All there are, the oldest first. Opened from the newest on: files only ever grow older, so none is missed. */
export async function openLogFiles(path: string): Promise<LogFile[]> {
  const files: LogFile[] = []
  for (let age = 0; age < maxFiles; age++) {
    const file = await openFile(nameOf(path, age))
    // Between two rotations the newest may be missing for a moment.
    if (file === undefined && age > 0) break
    if (file === undefined) continue
    if (await isAmong(files, file)) closeQuietly(file)
    else files.unshift(file)
  }
  return files
}

/** Rotated between two looks, a file is found twice. */
async function isAmong(files: readonly LogFile[], file: LogFile): Promise<boolean> {
  if (file.inode !== undefined) return files.some(({ inode }) => inode === file.inode)
  const mark = await markOf(file)
  for (const other of files) if ((await markOf(other)) === mark) return true
  return false
}

/** The file that was begun after `current`; undefined while `current` is the newest. */
export async function openNextFile(path: string, current: LogFile): Promise<LogFile | undefined> {
  const age = await ageOf(path, current)
  if (age === 0) return undefined
  if (age !== undefined) {
    const next = await openFile(nameOf(path, age - 1))
    if (next === undefined) return undefined
    // Rotated again in between: the file that was opened is another one than meant.
    if ((await ageOf(path, current)) === age) return next
    await next.handle.close()
    return openNextFile(path, current)
  }
  // So many rotations that it is gone: go on with the oldest there is.
  const [oldest, ...others] = await openLogFiles(path)
  others.forEach(closeQuietly)
  return oldest && { ...oldest, isAfterGap: true }
}

async function ageOf(path: string, current: LogFile): Promise<number | undefined> {
  let oldestPacked = 0
  for (let age = 0; age < maxFiles; age++) {
    const found = await stat(nameOf(path, age), { bigint: true }).catch(() => undefined)
    if (found !== undefined && found.ino === current.inode) return age
    if (found !== undefined || age === 0) continue
    const packed = await stat(`${nameOf(path, age)}.gz`).catch(() => undefined)
    if (packed === undefined) break
    oldestPacked = age
  }
  return oldestPacked === 0 ? undefined : packedAgeOf(path, current, oldestPacked)
}

/** One more than were seen: files grow older while they are looked at. */
async function packedAgeOf(path: string, current: LogFile, oldest: number): Promise<number | undefined> {
  const mark = await markOf(current)
  for (let age = 1; age <= oldest + 1 && mark !== undefined; age++) {
    if ((await compressedMark(`${nameOf(path, age)}.gz`)) === mark) return age
  }
  return undefined
}
