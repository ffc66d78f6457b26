// `RUN --mount=type=cache`: folders that are kept from build to build, one for each id.
import { chmod, chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { NamedLocks } from '../images/registry/slots.ts'
import { cacheKey } from './cache-key.ts'

export interface CacheFolder {
  id: string
  /** `locked`: one step at a time; `private`: a folder of its own while another step has it. */
  sharing: 'shared' | 'locked' | 'private'
  mode: number
  uid: number
  gid: number
  /** Puts into a new folder what it begins with. */
  fill?(folder: string): Promise<void>
}

export class CacheMounts {
  readonly #folder: string
  readonly #locks = new NamedLocks()

  constructor(folder: string) {
    this.#folder = folder
  }

  async take(asked: CacheFolder, signal: AbortSignal): Promise<{ path: string; release(): void }> {
    const name = asked.sharing === 'private' ? this.#freeName(asked.id) : asked.id
    const lock = asked.sharing === 'shared' ? undefined : await this.#locks.take(name, signal)
    const release = () => lock?.[Symbol.dispose]()
    try {
      return { path: await this.#make(name, asked), release }
    } catch (error) {
      release()
      throw error
    }
  }

  #freeName(id: string): string {
    for (let number = 0; ; number++) {
      const name = number === 0 ? id : `${id}\0${number}`
      if (!this.#locks.isTaken(name)) return name
    }
  }

  async #make(name: string, { mode, uid, gid, fill }: CacheFolder): Promise<string> {
    const path = join(this.#folder, cacheKey('cache-mount', name).slice('sha256:'.length))
    const made = await mkdir(path, { recursive: true })
    if (made === undefined) return path
    await fill?.(path)
    await chmod(path, mode)
    await chown(path, uid, gid)
    return path
  }
}
