// A readable stream made by a generator that can be stopped while it waits: when the reader leaves, the signal fires.
import { Readable } from 'node:stream'

export class PulledStream extends Readable {
  readonly #source: AsyncGenerator<Uint8Array>
  readonly #abort = new AbortController()
  #isPulling = false

  constructor(generate: (signal: AbortSignal) => AsyncGenerator<Uint8Array>) {
    super()
    this.#source = generate(this.#abort.signal)
  }

  override _read(): void {
    if (this.#isPulling) return
    this.#isPulling = true
    this.#pull().catch((error: unknown) => this.destroy(error instanceof Error ? error : new Error(String(error))))
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#abort.abort()
    // What the generator holds open it closes itself; whoever destroys the stream does not wait for that.
    this.#source.return(undefined).catch(() => undefined)
    done(error)
  }

  async #pull(): Promise<void> {
    for (;;) {
      const { done, value } = await this.#source.next()
      if (this.destroyed) return
      if (done) {
        this.push(null)
        return
      }
      if (!this.push(value)) break
    }
    this.#isPulling = false
  }
}
