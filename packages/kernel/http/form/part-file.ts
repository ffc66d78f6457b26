// A file on its way from a form to the blob store.
import { Readable } from 'node:stream'
import type { PartSink } from './form-parser.ts'

export class PartFile extends Readable implements PartSink {
  #room: PromiseWithResolvers<void> | undefined

  /** Resolves when the store can take more; undefined when it can now. */
  get room(): Promise<void> | undefined {
    return this.#room?.promise
  }

  add(bytes: Buffer): void {
    if (!this.push(bytes)) this.#room ??= Promise.withResolvers()
  }

  end(): void {
    this.push(null)
    // Nobody asks for more from now on.
    this._read()
  }

  override _read(): void {
    this.#room?.resolve()
    this.#room = undefined
  }
}
