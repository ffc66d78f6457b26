// The content of base models' files by digest, computed once for a file as long as it stays the same.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Digests } from '@atoll/kernel/blobs/digest'

const pieceBytes = 1024 * 1024

export class BaseDigests {
  readonly #digests = new Digests()
  readonly #known = new Map<string, { state: string; sha256: Promise<string> }>()

  /** Undefined: there is no such file. */
  async sha256(file: string): Promise<string | undefined> {
    const found = await stat(file).catch(() => undefined)
    if (found === undefined) return undefined
    const state = `${found.size} ${found.mtimeMs} ${found.ino}`
    const known = this.#known.get(file)
    if (known?.state === state) return known.sha256
    const { signal } = new AbortController()
    const sha256 = this.#digests.of(createReadStream(file, { highWaterMark: pieceBytes }), 'sha256', signal)
    this.#known.set(file, { state, sha256 })
    sha256.catch(() => this.#known.delete(file))
    return sha256
  }
}
