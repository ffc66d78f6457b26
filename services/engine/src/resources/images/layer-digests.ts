// Digests of files in layers, which never change: who copies the same from the same layers again does not read it again.
import type { CopyRequest } from '../../images/build-store.ts'

const maxKept = 1_000

export class LayerDigests {
  readonly #known = new Map<string, string>()

  async of({ from, ...request }: CopyRequest, find: () => Promise<string>): Promise<string> {
    if ('folder' in from) return find()
    const key = JSON.stringify([from.layers.at(-1)?.chainId, request])
    const digest = this.#known.get(key) ?? (await find())
    this.#known.delete(key)
    this.#known.set(key, digest)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= maxKept) break
      this.#known.delete(oldest)
    }
    return digest
  }
}
