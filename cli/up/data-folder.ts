// The data folder holds keys, password hashes and what people said to models: it is closed to everybody else before the
// first file is written.
import { chmodSync, lstatSync, mkdirSync, readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'

const others = 0o077
const sticky = 0o1000
const ownFolder = 0o700
const ownFile = 0o600

/** What tells a folder of Atoll from somebody's home or from /tmp. */
const ours = ['atoll.db', 'lock.db', 'incoming']

/**
 * New files are for the owner alone. Containers are another matter: the folders that become their root, and files like
 * their /etc/hosts, are for whatever user runs in them; they lie in the closed folder.
 */
export const umaskOf = (services: readonly string[]): number => (services.includes('engine') ? 0o022 : others)

/** Makes it, or closes one that stood open; throws with a sentence where it can do neither. Returns what it changed. */
export function prepareDataFolder(folder: string, setting = '--data'): string[] {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found === undefined) {
    make(folder, setting)
    return []
  }
  if (!found.isDirectory()) throw new Error(`${folder} is a file, not a folder. Choose another with ${setting}.`)
  const notes = (found.mode & others) === 0 ? [] : [closed(folder, found, setting)]
  closeFiles(folder)
  return notes
}

function closed(folder: string, { mode, uid }: Stats, setting: string): string {
  const rights = (mode & 0o7777).toString(8)
  const open = `${folder} can be read by other users of this machine (${rights})`
  const names = readdirSync(folder)
  const isOurs = names.length === 0 || ours.some((name) => names.includes(name))
  if (!isOurs || (mode & sticky) !== 0) {
    throw new Error(`${open} and holds other things. Choose a folder of its own with ${setting}, or chmod 700 it.`)
  }
  if (!mayChange(uid)) throw new Error(`${open} and belongs to somebody else. Choose another with ${setting}.`)
  chmodSync(folder, ownFolder)
  return `${open.replace('can', 'could')}: it is closed to them now (700).`
}

/** Those that an earlier version wrote for everybody. Links and sockets are left alone. */
function closeFiles(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.isFile() && (found.mode & others) !== 0 && mayChange(found.uid)) chmodSync(path, ownFile)
  }
}

const mayChange = (uid: number): boolean => [0, uid].includes(process.geteuid?.() ?? uid)

function make(folder: string, setting: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: ownFolder })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR') throw error
    throw new Error(`${folder} lies below a file, not a folder. Choose another with ${setting}.`)
  }
}
