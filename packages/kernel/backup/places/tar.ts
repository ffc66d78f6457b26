// A backup as one stream, for a pipe: `./atoll backup - | ssh elsewhere tar x -C backups`. It can only be written.
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { tarEnd, tarHead, tarPadding } from '../tar-blocks.ts'
import type { Place } from './place.ts'

export function tarPlace(out: Writable): Place {
  let turn = Promise.resolve()
  const put = async (bytes: Uint8Array) => {
    if (bytes.length > 0 && !out.write(bytes)) await once(out, 'drain')
  }
  const append = async (name: string, bytes: number, source: Readable) => {
    await put(tarHead(name, bytes))
    let seen = 0
    for await (const chunk of source as AsyncIterable<Buffer>) {
      seen += chunk.length
      await put(chunk)
    }
    if (seen !== bytes) throw new Error(`${name} has ${seen} bytes, not ${bytes}`)
    await put(tarPadding(bytes))
  }
  return {
    description: 'the standard output',
    write(name, bytes, source) {
      turn = turn.then(() => append(name, bytes, source))
      return turn
    },
    read: async () => undefined,
    list: async () => [],
    async close() {
      await turn
      await put(tarEnd)
      if (out.writableNeedDrain) await once(out, 'drain')
    },
  }
}
