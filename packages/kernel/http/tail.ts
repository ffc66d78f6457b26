// Remembers the end of a stream without copying it.
const rememberedBytes = 8 * 1024

export class Tail {
  #chunks: Buffer[] = []
  #length = 0

  add(chunk: Buffer): void {
    if (chunk.length >= rememberedBytes) {
      this.#chunks = [chunk]
      this.#length = chunk.length
      return
    }
    this.#chunks.push(chunk)
    this.#length += chunk.length
    while (this.#length - (this.#chunks[0]?.length ?? 0) >= rememberedBytes) {
      this.#length -= this.#chunks.shift()?.length ?? 0
    }
  }

  includes(text: string): boolean {
    return Buffer.concat(this.#chunks).includes(text)
  }
}
