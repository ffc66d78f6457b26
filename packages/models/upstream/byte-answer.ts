// The bytes of an answer that is no JSON, as they arrive.
import type { Exchange } from './exchange.ts'

export interface ByteAnswer {
  exchange: Exchange
  first: Uint8Array
}

/** `done` is called once, when all is read or nobody reads on. */
export async function* readBytes({ exchange, first }: ByteAnswer, done: () => void): AsyncGenerator<Uint8Array> {
  let isWhole = false
  try {
    for (let piece: Uint8Array | undefined = first; piece !== undefined; piece = await exchange.read()) yield piece
    isWhole = true
  } finally {
    if (!isWhole) exchange.abort(new Error('nobody reads on'))
    done()
  }
}
