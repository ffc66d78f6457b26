// An illustrator that dies in mid-work, and pictures that are larger inside than they look.
import { crc32, deflateSync } from 'node:zlib'
import { silentLog } from '@atoll/testkit/silent-log'
import { afterAll, expect, it, vi } from 'vitest'
import type { DrawingModel } from '../../draw.ts'
import { childrenRunning, residentBytes } from '../../testing/child-processes.ts'
import { createIllustratorRuntime } from './illustrator-runtime.ts'

vi.setConfig({ testTimeout: 180_000 })

const runtime = createIllustratorRuntime({ log: silentLog })
afterAll(() => runtime.close())
const { draw } = runtime.drawing as DrawingModel
const call = { signal: new AbortController().signal, turn: 'us' }
const size = { width: 256, height: 256 }
const scene = { kind: 'generate', prompt: 'two red balloons', quality: undefined, style: undefined, size } as const
const entry = 'illustrator-process.ts'

it('fails what it was drawing when it is killed, and draws the next', async () => {
  const drawing = draw({ ...scene, count: 10 }, call)
  drawing.catch(() => undefined)
  await expect.poll(() => childrenRunning(entry), { timeout: 60_000 }).toHaveLength(1)
  process.kill(childrenRunning(entry)[0] as number, 'SIGKILL')
  await expect(drawing).rejects.toMatchObject({ detail: { kind: 'failed' } })
  const { pictures } = await draw({ ...scene, count: 1 }, call)
  expect(Buffer.from(pictures[0]?.png ?? '').toString('latin1', 1, 4)).toBe('PNG')
})

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const made = Buffer.alloc(body.length + 8)
  made.writeUInt32BE(data.length, 0)
  body.copy(made, 4)
  made.writeUInt32BE(crc32(body), body.length + 4)
  return made
}

/** Its head says 64 x 64 pixels, whatever is in it. */
function png(extra: Buffer[], pixels: Buffer): Buffer {
  const head = Buffer.from('00000040000000400806000000', 'hex')
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    ...extra,
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const bomb = deflateSync(Buffer.alloc(256 * 1024 ** 2), { level: 9 })
const honest = deflateSync(Buffer.alloc((64 * 4 + 1) * 64))

it.each([
  ['pixels', png([], bomb)],
  ['a colour profile', png([chunk('iCCP', Buffer.concat([Buffer.from('x\0\0', 'latin1'), bomb]))], honest)],
  ['a text', png([chunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), bomb]))], honest)],
])('takes no more memory for a picture whose %s unpack to 256 MB', async (_, image) => {
  await draw({ ...scene, count: 1 }, call)
  const [pid] = childrenRunning(entry) as [number]
  const before = residentBytes(pid)
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, residentBytes(pid))
  }, 5)
  const outcome = await draw({ kind: 'vary', image, size, count: 1 }, call).then(
    () => 'drawn',
    (error) => error.detail.kind,
  )
  clearInterval(watch)
  expect(['drawn', 'invalid']).toContain(outcome)
  expect(childrenRunning(entry)).toEqual([pid])
  expect(most - before).toBeLessThan(128 * 1024 ** 2)
})
