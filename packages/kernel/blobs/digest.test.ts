import { createHash, randomBytes } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Digests } from './digest.ts'
import { inPieces } from './testing/blob-fixtures.ts'

const never = new AbortController().signal
const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')

describe('digests', () => {
  it('are those of the bytes, whatever their number and pieces', async () => {
    const digests = new Digests()
    for (const [size, piece] of [
      [0, 1],
      [1, 1],
      [100_000, 999],
      [5_000_000, 65_536],
      [5_000_000, 4_000_000],
    ]) {
      const bytes = randomBytes(size!)
      const expected = md5(bytes)
      expect(await digests.of(inPieces(bytes, piece!), 'md5', never)).toBe(expected)
    }
  })

  it('run side by side without mixing', async () => {
    const digests = new Digests()
    const contents = Array.from({ length: 8 }, (_, n) => randomBytes(300_000 * n))
    const expected = contents.map(md5)
    const results = await Promise.all(contents.map((bytes) => digests.of(inPieces(bytes, 50_000), 'md5', never)))
    expect(results).toEqual(expected)
  })

  it('leave the event loop free: it turns and turns while one big chunk is digested', async () => {
    let turns = 0
    let pending: NodeJS.Immediate
    const turn = () => {
      turns++
      pending = setImmediate(turn)
    }
    turn()
    await new Digests().of(Readable.from([Buffer.alloc(2 ** 26)]), 'md5', never)
    clearImmediate(pending!)
    // Digested on this thread, the chunk would stop all of them; a handful pass around it.
    expect(turns).toBeGreaterThan(100)
  })

  it('end with the abort, the broken source or nothing: never in silence', async () => {
    const digests = new Digests()
    const source = new PassThrough()
    const aborter = new AbortController()
    const aborted = digests.of(source, 'md5', aborter.signal)
    source.write('begun', () => aborter.abort())
    await expect(aborted).rejects.toThrow('abort')
    expect(source.destroyed).toBe(true)
    const broken = new PassThrough()
    const failed = digests.of(broken, 'md5', never)
    broken.destroy(new Error('the disk broke'))
    await expect(failed).rejects.toThrow('the disk broke')
    const late = new PassThrough()
    await expect(digests.of(late, 'md5', AbortSignal.abort())).rejects.toThrow('abort')
    expect(late.destroyed).toBe(true)
    expect(await digests.of(inPieces(Buffer.from('after'), 2), 'md5', never)).toBe(md5(Buffer.from('after')))
  })
})
