// Secrets of steps as files in memory, in a folder that is there while a step has one. Nothing of them is on a disk.
import { randomUUID } from 'node:crypto'
import { chmod, chown, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MemoryFolder } from '../mounts/memory-folder.ts'

export interface SecretFile {
  path: string
  close(): Promise<void>
}

export class StepSecrets {
  readonly #memory: MemoryFolder
  #uses = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(folder: string) {
    this.#memory = new MemoryFolder(folder)
  }

  async write(secret: Uint8Array, owner: { mode: number; uid: number; gid: number }): Promise<SecretFile> {
    await this.#inTurn(() => this.#begin())
    const path = join(this.#memory.path, randomUUID())
    const close = () => this.#inTurn(() => this.#end(path))
    try {
      await writeFile(path, secret, { mode: 0o400, flag: 'wx' })
      await chown(path, owner.uid, owner.gid)
      await chmod(path, owner.mode)
      return { path, close }
    } catch (error) {
      await close()
      throw error
    }
  }

  async #begin(): Promise<void> {
    if (this.#uses === 0) {
      await this.#memory.open()
      for (const left of await readdir(this.#memory.path)) await rm(join(this.#memory.path, left))
    }
    this.#uses += 1
  }

  async #end(path: string): Promise<void> {
    await rm(path, { force: true })
    this.#uses -= 1
    if (this.#uses === 0) await this.#memory.close()
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work)
    this.#last = next.catch(() => {})
    return next
  }
}
