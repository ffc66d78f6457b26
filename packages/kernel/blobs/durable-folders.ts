// Folders in a folder, each made when it is first needed: an empty store is one folder, not hundreds.
import { mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export class DurableFolders {
  readonly #parent: string
  readonly #made: Map<string, Promise<void>>

  private constructor(parent: string, present: readonly string[]) {
    this.#parent = parent
    this.#made = new Map(present.map((name) => [name, Promise.resolve()]))
  }

  static async below(parent: string): Promise<DurableFolders> {
    if ((await mkdir(parent, { recursive: true, mode: 0o700 })) !== undefined) await syncFolder(dirname(parent))
    return new DurableFolders(parent, await readdir(parent))
  }

  /** When it resolves the folder is there also after a power cut. */
  make(name: string): Promise<void> {
    const known = this.#made.get(name)
    if (known) return known
    const making = this.#make(name)
    this.#made.set(name, making)
    making.catch(() => this.#made.delete(name)) // a full disk may have room the next time
    return making
  }

  async #make(name: string): Promise<void> {
    await mkdir(join(this.#parent, name), { recursive: true, mode: 0o700 })
    await syncFolder(this.#parent)
  }
}

/** A name in a folder survives a power cut only after the folder itself is flushed. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
