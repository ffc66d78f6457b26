// What trainings of this node keep until they have ended: a folder for each, with its examples and its last record.
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

export class TuningFolders {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  async make(id: string): Promise<string> {
    const folder = join(this.#root, id)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return folder
  }

  remove(id: string): Promise<void> {
    return rm(join(this.#root, id), { recursive: true, force: true })
  }

  /** Removes those of jobs that ended while this node was down, or was killed before it came to that. */
  async sweep(isOpen: (id: string) => Promise<boolean>): Promise<void> {
    for (const id of await readdir(this.#root)) if (!(await isOpen(id))) await this.remove(id)
  }
}
