// Where shared objects of modules are kept: <folder>/<uid>/<name>.so. A folder has its place only once all in it is
// on the disk, and before any row names it.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

const incomingPrefix = '.incoming-'
const sharedObjectMode = 0o755

export class ModuleFiles {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  path(uid: string, moduleName: string): string {
    return join(this.#folder, uid, `${moduleName}.so`)
  }

  /** Durable when the promise resolves; nothing is left when it rejects. */
  async write(uid: string, moduleName: string, bytes: AsyncIterable<Buffer>): Promise<void> {
    const incoming = join(this.#folder, incomingPrefix + uid)
    await mkdir(incoming, { mode: 0o755 })
    try {
      await writeSynced(join(incoming, `${moduleName}.so`), bytes)
      await sync(incoming)
      await rename(incoming, join(this.#folder, uid))
      await sync(this.#folder)
    } catch (error) {
      await rm(incoming, { recursive: true, force: true })
      throw error
    }
  }

  remove(uid: string): Promise<void> {
    return rm(join(this.#folder, uid), { recursive: true, force: true })
  }

  /** What no row names was left by a crash. */
  async sweep(isKnown: (uid: string) => boolean): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o755 })
    for (const name of await readdir(this.#folder)) if (!isKnown(name)) await this.remove(name)
  }
}

async function writeSynced(path: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  const file = await open(path, 'wx', sharedObjectMode)
  try {
    for await (const piece of bytes) await file.writeFile(piece)
    await file.chmod(sharedObjectMode)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function sync(folder: string): Promise<void> {
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer)
  return hash.digest('hex')
}
