// Closes the index thread in the middle of searches. The exit code says whether the process outlived it.
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { silentLog } from '@atoll/testkit/silent-log'
import { IndexThread } from '../index-thread.ts'

const folder = String(process.argv[2])
const count = 20_000
const dimensions = 64
const vectors = Float32Array.from({ length: count * dimensions }, (_, at) => Math.sin(at))
const numbers = Float64Array.from({ length: count }, (_, at) => at + 1)
const words = { terms: new Uint32Array(), weights: new Float32Array() }

for (let round = 0; round < 3; round++) {
  const file = (ending: string): string => join(folder, `${round}.${ending}`)
  const thread = new IndexThread({ indexFrom: Number.MAX_SAFE_INTEGER, maxWaitingBytes: 1e9 }, silentLog, () => {})
  await thread.tell({
    kind: 'open',
    key: 'a',
    dimensions,
    file: file('index'),
    wordFile: file('words'),
    isElsewhere: false,
  })
  await thread.tell({ kind: 'extend', key: 'a', numbers, vectors: vectors.slice() })
  const vector = vectors.slice(0, dimensions)
  const searches = Array.from({ length: 4 }, () => thread.search({ key: 'a', vector, count: 10, words }))
  await setTimeout(round)
  await thread.close()
  await Promise.allSettled(searches)
}
