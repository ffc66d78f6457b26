// The files of a log: `log.json` is written to; `log.json.1`, `log.json.2`, … are older. They may be rotated meanwhile.
import { type FileHandle, open, stat } from 'node:fs/promises'

/** More than any log is set to keep. */
const maxFiles = 1_000

export interface LogFile {
  handle: FileHandle
  inode: bigint
}

const nameOf = (path: string, age: number): string => (age === 0 ? path : `${path}.${age}`)

async function openFile(path: string): Promise<LogFile | undefined> {
  try {
    const handle = await open(path, 'r')
    const { ino: inode } = await handle.stat({ bigint: true })
    return { handle, inode }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** All there are, the oldest first. Opened from the newest on: files only ever grow older, so none is missed. */
export async function openLogFiles(path: string): Promise<LogFile[]> {
  const files: LogFile[] = []
  for (let age = 0; age < maxFiles; age++) {
    const file = await openFile(nameOf(path, age))
    // Between two rotations the newest may be missing for a moment.
    if (file === undefined && age > 0) break
    if (file === undefined) continue
    if (files.some(({ inode }) => inode === file.inode)) await file.handle.close()
    else files.unshift(file)
  }
  return files
}

/** The file that was begun after `current`; undefined while `current` is the newest. */
export async function openNextFile(path: string, current: LogFile): Promise<LogFile | undefined> {
  const age = await ageOf(path, current.inode)
  if (age === 0) return undefined
  if (age !== undefined) {
    const next = await openFile(nameOf(path, age - 1))
    if (next === undefined) return undefined
    // Rotated again in between: the file that was opened is another one than meant.
    if ((await ageOf(path, current.inode)) === age) return next
    await next.handle.close()
    return openNextFile(path, current)
  }
  // So many rotations that it is gone: go on with the oldest there is.
  const [oldest, ...others] = await openLogFiles(path)
  await Promise.all(others.map(({ handle }) => handle.close()))
  return oldest
}

async function ageOf(path: string, inode: bigint): Promise<number | undefined> {
  for (let age = 0; age < maxFiles; age++) {
    const found = await stat(nameOf(path, age), { bigint: true }).catch(() => undefined)
    if (found?.ino === inode) return age
    if (found === undefined && age > 0) return undefined
  }
  return undefined
}
