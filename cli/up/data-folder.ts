// The data folder holds keys, password hashes and what people said to models: it is closed to everybody else before the
// first file is written.
import { accessSync, chmodSync, constants, lstatSync, mkdirSync, readdirSync, type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

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
  checkAccess(folder, found, setting)
  const notes = (found.mode & others) === 0 ? [] : [closed(folder, found, setting)]
  closeFiles(folder, setting)
  return notes
}

/** Also for root: in a container, or with another user's rights, it cannot open everything. */
function checkAccess(path: string, { uid }: Stats, setting: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
  } catch (error) {
    const self = process.geteuid?.()
    if ((error as NodeJS.ErrnoException).code !== 'EACCES' || uid === self) throw error
    const whose = `${path} belongs to another user (uid ${uid}), and this one (uid ${self}) may not write to it`
    throw new Error(`${whose}. Start as that user, chown it to this one, or choose another folder with ${setting}.`)
  }
}

function closed(folder: string, { mode, uid }: Stats, setting: string): string {
  const rights = (mode & 0o7777).toString(8)
  const open = `${folder} can be read by other users of this machine (${rights})`
  const names = readdirSync(folder)
  const isOurs = names.length === 0 || ours.some((name) => names.includes(name))
  if (!isOurs || (mode & sticky) !== 0) {
    throw new Error(`${open} and holds other things. Choose a folder of its own with ${setting}, or chmod 700 it.`)
  }
  if (!changeRights(folder, uid, ownFolder)) {
    throw new Error(`${open} and belongs to somebody else. Choose another with ${setting}.`)
  }
  return `${open.replace('can', 'could')}: it is closed to them now (700).`
}

/** Those that an earlier version wrote for everybody. Links and sockets are left alone. */
function closeFiles(folder: string, setting: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (!found?.isFile()) continue
    // One that was left by a start as root, for example.
    checkAccess(path, found, setting)
    if ((found.mode & others) !== 0) changeRights(path, found.uid, ownFile)
  }
}

/** Whether it could: root of a user namespace cannot where the owner is not in it. */
function changeRights(path: string, uid: number, rights: number): boolean {
  if (![0, uid].includes(process.geteuid?.() ?? uid)) return false
  try {
    chmodSync(path, rights)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
    return false
  }
}

function make(folder: string, setting: string): void {
  try {
    makeWithParents(folder)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    const why = code === 'ENOTDIR' ? 'lies below a file, not a folder' : 'cannot be made there'
    if (!['ENOTDIR', 'ENOENT', 'EPERM'].includes(code)) throw error
    throw new Error(`${folder} ${why}. Choose another with ${setting}.`)
  }
}

/** Node's own way with parents tries for ever where a folder exists and takes no other, such as /proc. */
function makeWithParents(folder: string): void {
  const parent = dirname(folder)
  if (statSync(parent, { throwIfNoEntry: false }) === undefined) makeWithParents(parent)
  mkdirSync(folder, { mode: ownFolder })
}
