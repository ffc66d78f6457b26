// Streams a source into a writable of the store without ever destroying the source: a refused request can be answered.
import { addAbortSignal, finished, type Readable, type Writable } from 'node:stream'
import { finished as settled } from 'node:stream/promises'

/** The listeners are there before the first await: a source may fail while the other end is being opened. */
export async function receive(source: Readable, into: Writable, signal: AbortSignal | undefined): Promise<void> {
  if (signal) addAbortSignal(signal, into)
  finished(source, { writable: false }, (error) => {
    if (error) into.destroy(error)
  })
  source.pipe(into)
  await settled(into)
}
