import { Readable } from 'node:stream'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock/clock.ts'
import { createIds } from '../ids/ids.ts'
import { createLocalDisk } from './local-disk.ts'

const kilobyte = 1024

/** Chunks with memory of their own, a part of a larger buffer, and one from the pool that small buffers share. */
function chunksOfAllKinds(): { whole: Buffer; part: Buffer; pooled: Buffer } {
  const whole = Buffer.alloc(64 * kilobyte, 'w')
  const part = Buffer.alloc(64 * kilobyte, 'p').subarray(10, 40 * kilobyte)
  return { whole, part, pooled: Buffer.from('small') }
}

async function store(ownsChunks: boolean) {
  const disk = await createLocalDisk(await tempDir(), systemClock, createIds(systemClock))
  const chunks = chunksOfAllKinds()
  const expected = Buffer.concat([chunks.whole, chunks.part, chunks.pooled])
  const source = Readable.from([chunks.whole, chunks.part, chunks.pooled])
  const { key } = await disk.write(source, { maxBytes: kilobyte * kilobyte, ownsChunks })
  const stored = Buffer.concat(await (await disk.read(key)).toArray())
  return { chunks, isRight: stored.equals(expected) }
}

describe('chunks that belong to the writer', () => {
  it('give their memory back once written, where it is theirs alone', async () => {
    const { chunks, isRight } = await store(true)
    expect(isRight).toBe(true)
    expect([chunks.whole.length, chunks.part.length, chunks.pooled.toString()]).toEqual([
      0,
      40 * kilobyte - 10,
      'small',
    ])
  })

  it('stay untouched when they are somebody else’s', async () => {
    const { chunks, isRight } = await store(false)
    expect(isRight).toBe(true)
    expect(chunks.whole.length).toBe(64 * kilobyte)
  })
})
