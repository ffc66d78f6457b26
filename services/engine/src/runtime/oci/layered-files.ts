// Looks things up in layers as the overlay shows them, without mounting it and without following a link out: links are
// read as seen from inside.
import { execFile } from 'node:child_process'
import { type FileHandle, constants as flags, lstat, open, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const maxLinks = 40

export type Found =
  /** Folders that are one inside, the topmost first. `path` is where it really is, as seen from inside. */
  { kind: 'folder'; path: string; folders: string[] } | { kind: 'file'; path: string; file: string }

export class LeadsOutside extends Error {}

/** `layers` from the top down. Undefined: not there. `isClosed`: a link that leads out is not read as one to the top. */
export async function findInLayers(
  layers: readonly string[],
  path: string,
  { isClosed = false } = {},
): Promise<Found | undefined> {
  const waiting = parts(path)
  let trail: { name: string; folders: string[] }[] = []
  let links = 0
  const here = (): string[] => trail.at(-1)?.folders ?? [...layers]
  const pathOf = (): string => `/${trail.map(({ name }) => name).join('/')}`
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (name === '.') continue
    if (name === '..') {
      if (isClosed && trail.length === 0) throw new LeadsOutside(path)
      trail = trail.slice(0, -1)
      continue
    }
    const found = await lookUp(here(), name)
    if (found === undefined) return undefined
    if (found.kind === 'folder') trail.push({ name, folders: found.folders })
    else if (found.kind === 'link') {
      if (++links > maxLinks) return undefined
      if (isClosed && found.target.startsWith('/')) throw new LeadsOutside(path)
      if (found.target.startsWith('/')) trail = []
      waiting.unshift(...parts(found.target))
    } else if (waiting.length > 0) return undefined
    else return { kind: 'file', path: join(pathOf(), name), file: found.file }
  }
  return { kind: 'folder', path: pathOf(), folders: here() }
}

const parts = (path: string): string[] => path.split('/').filter(Boolean)

type Entry = { kind: 'folder'; folders: string[] } | { kind: 'file'; file: string } | { kind: 'link'; target: string }

/** One name in folders that are one inside. Below a file, a link or a whiteout nothing shines through. */
async function lookUp(folders: readonly string[], name: string): Promise<Entry | undefined> {
  const merged: string[] = []
  for (const folder of folders) {
    const path = join(folder, name)
    const status = await lstat(path).catch(() => undefined)
    if (status === undefined) continue
    const isWhiteout = status.isCharacterDevice() && status.rdev === 0
    if (status.isDirectory()) {
      merged.push(path)
      if (folder !== folders.at(-1) && (await isOpaque(path, `${status.ino} ${status.ctimeMs}`))) break
    } else if (merged.length > 0 || isWhiteout) break
    else if (status.isSymbolicLink()) return { kind: 'link', target: await readlink(path) }
    else return { kind: 'file', file: path }
  }
  return merged.length === 0 ? undefined : { kind: 'folder', folders: merged }
}

const attributeDeadlineMs = 5_000

const maxKnown = 10_000
/** By folder, and the state it was in: layers of images are looked at once. */
const known = new Map<string, boolean>()

/** Only asked where a lower layer has the same folder. */
async function isOpaque(folder: string, state: string): Promise<boolean> {
  const key = `${state} ${folder}`
  const before = known.get(key)
  if (before !== undefined) return before
  const now = await readOpaque(folder)
  if (known.size >= maxKnown) known.clear()
  known.set(key, now)
  return now
}

/** Node reads no extended attributes. */
async function readOpaque(folder: string): Promise<boolean> {
  try {
    const args = ['--only-values', '--absolute-names', '--no-dereference', '-n', 'trusted.overlay.opaque', folder]
    const { stdout } = await run('getfattr', args, { timeout: attributeDeadlineMs })
    return stdout.trim() === 'y'
  } catch {
    return false
  }
}

/** Undefined: not there, no plain file, or larger than it may be. */
export async function readInLayers(
  layers: readonly string[],
  path: string,
  maxBytes: number,
): Promise<string | undefined> {
  const found = await findInLayers(layers, path)
  if (found?.kind !== 'file') return undefined
  // Neither a link put there meanwhile nor a pipe can mislead it.
  const handle = await open(found.file, flags.O_RDONLY | flags.O_NOFOLLOW | flags.O_NONBLOCK).catch(() => undefined)
  if (handle === undefined) return undefined
  try {
    return await readPlain(handle, maxBytes)
  } finally {
    await handle.close()
  }
}

export async function readPlain(handle: FileHandle, maxBytes: number): Promise<string | undefined> {
  const status = await handle.stat()
  if (!status.isFile() || status.size > maxBytes) return undefined
  return await handle.readFile('utf8')
}
