// A log that takes nothing: a pipe that nobody reads stands for a disk that hangs.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RuntimeKit, unframe } from './testing/runtime-kit.ts'

let kit: RuntimeKit
beforeAll(async () => {
  kit = await RuntimeKit.open()
})
afterAll(async () => {
  expect(kit.leftovers()).toEqual([])
  await kit.close()
})

/** All bytes until the standard output came to these words, which may be spread over several frames. */
async function readUntil(stream: Duplex, words: string): Promise<Buffer> {
  let frames = Buffer.alloc(0)
  let read = 0
  let end = ''
  for await (const part of stream) {
    frames = Buffer.concat([frames, part as Buffer])
    for (let next = frameEnd(frames, read); next <= frames.length; next = frameEnd(frames, read)) {
      end = (end + frames.toString('latin1', read + 8, next)).slice(-words.length)
      read = next
    }
    if (end === words) break
  }
  return frames.subarray(0, read)
}

const frameEnd = (frames: Buffer, at: number): number =>
  at + 8 <= frames.length ? at + 8 + frames.readUInt32BE(at + 4) : Number.POSITIVE_INFINITY

describe('a container whose log takes nothing', () => {
  it('goes on in the mode non-blocking, and what does not fit into the buffer is dropped', async () => {
    const id = kit.newId()
    const path = kit.logPath(id)
    mkdirSync(dirname(path), { recursive: true })
    execFileSync('mkfifo', [path])
    const settings = { path, maxBytes: 0, maxFiles: 1, bufferBytes: 256 * 1024 }
    const script = 'i=0; while [ $i -lt 20000 ]; do echo "line $i and some more of it"; i=$((i+1)); done'
    // It stays until its log is being read: the log of one that has ended is waited for no longer than two seconds.
    const container = kit.container(['sh', '-c', `${script}; exec sleep 1000`], { id, log: settings })
    await kit.runtime.create(container)
    const { connection } = await kit.runtime.attach(id, { stdout: true })
    await kit.runtime.start(id)
    const said = unframe(await readUntil(connection, 'line 19999 and some more of it\n')).stdout.split('\n')
    expect(said).toHaveLength(20_001)
    const log = createReadStream(path)
    await once(log, 'readable')
    await kit.runtime.signal(id, 9)
    const kept = (await text(log)).trimEnd().split('\n')
    const lines = kept.map((line) => (JSON.parse(line) as { log: string }).log.trimEnd())
    await kit.runtime.exited(id)
    await kit.runtime.destroy(id)
    // What the pipe and the buffer hold, from the beginning on.
    expect(lines.length).toBeGreaterThan(1_000)
    expect(lines.length).toBeLessThan(10_000)
    expect(lines.slice(0, 1_000)).toEqual(said.slice(0, 1_000))
  })

  it('has everything in its log in that mode where the log takes it', async () => {
    const id = kit.newId()
    const log = { path: kit.logPath(id), maxBytes: 0, maxFiles: 1, bufferBytes: 8 * 1024 * 1024 }
    await kit.started(['sh', '-c', 'i=0; while [ $i -lt 5000 ]; do echo $i; i=$((i+1)); done; printf last'], {
      id,
      log,
    })
    await kit.runtime.exited(id)
    const lines = kit.log(id).map((entry) => entry.log)
    expect(lines).toEqual([...Array.from({ length: 5_000 }, (_, n) => `${n}\n`), 'last'])
    await kit.runtime.destroy(id)
  })
})
