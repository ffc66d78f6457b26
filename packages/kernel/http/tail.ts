// Remembers the end of a stream. A copy, since the chunks themselves belong to whoever reads the stream.
const rememberedBytes = 8 * 1024

export class Tail {
  readonly #kept = Buffer.allocUnsafe(rememberedBytes)
  #used = 0

  add(chunk: Buffer): void {
    const fresh = Math.min(chunk.length, rememberedBytes)
    const old = Math.min(this.#used, rememberedBytes - fresh)
    this.#kept.copyWithin(0, this.#used - old, this.#used)
    chunk.copy(this.#kept, old, chunk.length - fresh)
    this.#used = old + fresh
  }

  includes(text: string): boolean {
    return this.#kept.subarray(0, this.#used).includes(text)
  }
}
