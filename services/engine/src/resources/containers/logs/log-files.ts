// The files of a log, which may be rotated and compressed while they are read.
import { type FileHandle, open } from 'node:fs/promises'
import { openUnpacked, packedMark } from './compressed-file.ts'
import { markOf } from './file-mark.ts'
import { absent, ageOf, listAges, nameOf, oldestAge, packedNameOf } from './log-names.ts'

/** How often a file is looked for that is renamed between two looks; the next change looks again. */
const maxLooks = 1_000

export interface LogFile {
  handle: FileHandle
  /** Undefined: it was compressed. */
  inode: bigint | undefined
  /** What has a name in the folder: the file itself, or its compressed form. */
  named: FileHandle
  /** Files between this one and the one before are gone. */
  isAfterGap?: boolean
}

async function openFile(path: string, age: number): Promise<LogFile | undefined> {
  const handle = await open(nameOf(path, age), 'r').catch(absent)
  if (handle === undefined) return age === 0 ? undefined : openPacked(packedNameOf(path, age))
  const { ino: inode } = await handle.stat({ bigint: true })
  return { handle, inode, named: handle }
}

async function openPacked(name: string): Promise<LogFile | undefined> {
  const packed = await open(name, 'r').catch(absent)
  if (packed === undefined) return undefined
  try {
    return { handle: await openUnpacked(packed, `${name}.text`), inode: undefined, named: packed }
  } catch (error) {
    await packed.close()
    throw error
  }
}

export function closeQuietly({ handle, named }: LogFile): void {
  for (const open of new Set([handle, named])) open.close().catch(() => undefined)
}

/** The one that is written to. */
export const openNewestFile = (path: string): Promise<LogFile | undefined> => openFile(path, 0)

/** All there are, the oldest first; of those that are begun meanwhile perhaps some. */
export async function openLogFiles(path: string): Promise<LogFile[]> {
  const files: LogFile[] = []
  try {
    for (let left = await oldestAge(path); left >= 0; left--) {
      const file = await openNextFile(path, files.at(-1))
      if (file === undefined) break
      files.push(file)
    }
    return files
  } catch (error) {
    files.forEach(closeQuietly)
    throw error
  }
}

/** The file that was begun after `current`, or the oldest; undefined while `current` is the newest. */
export async function openNextFile(path: string, current: LogFile | undefined): Promise<LogFile | undefined> {
  for (let look = 0; look < maxLooks; look++) {
    const wanted = await placeAfter(path, current)
    if (wanted.age === undefined) return undefined
    const next = await openFile(path, wanted.age)
    const now = await placeAfter(path, current)
    // Otherwise it was rotated in between, and the file that was opened may be another one than meant.
    if (next !== undefined && now.age === wanted.age && now.currentAge === wanted.currentAge) {
      return current !== undefined && now.currentAge === undefined ? { ...next, isAfterGap: true } : next
    }
    if (next !== undefined) closeQuietly(next)
  }
  return undefined
}

interface Place {
  /** Undefined: there were so many rotations that it is gone. */
  currentAge: number | undefined
  /** Of the one after it, or of the oldest there is. */
  age: number | undefined
}

async function placeAfter(path: string, current: LogFile | undefined): Promise<Place> {
  const currentAge = current && (await currentAgeOf(path, current))
  if (currentAge === 0) return { currentAge, age: undefined }
  const ages = await listAges(path)
  return { currentAge, age: ages.findLast((age) => currentAge === undefined || age < currentAge) }
}

async function currentAgeOf(path: string, file: LogFile): Promise<number | undefined> {
  const age = await ageOf(path, file.named)
  if (age !== undefined) return age
  // Its compressed form took its place before it went, unless it is gone for good.
  const packed = await findPacked(path, file)
  if (packed === undefined) return undefined
  if (file.named !== file.handle) await file.named.close()
  file.named = packed
  return currentAgeOf(path, file)
}

/** From the newest on: files only ever grow older, so it is not missed. */
async function findPacked(path: string, file: LogFile): Promise<FileHandle | undefined> {
  const mark = await markOf(file)
  let oldest = mark === undefined ? -1 : await oldestAge(path)
  for (let age = 1; age <= oldest; age++) {
    const packed = await open(packedNameOf(path, age), 'r').catch(absent)
    if (packed !== undefined && (await packedMark(packed)) === mark) return packed
    await packed?.close()
    if (age === oldest) oldest = await oldestAge(path)
  }
  return undefined
}
