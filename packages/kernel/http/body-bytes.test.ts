import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { BodyCut, readPieces } from './body-bytes.ts'

const limits = { maxBytes: 1_000_000, idleMs: 5_000 }

it('waits for the last piece to be worked on, though the body has ended and closed meanwhile', async () => {
  const source = Readable.from([Buffer.from('first'), Buffer.from('last')])
  const taken: string[] = []
  await readPieces(source, limits, async (piece) => {
    await pause(50)
    taken.push(piece.toString())
  })
  expect(taken).toEqual(['first', 'last'])
  expect(source.destroyed).toBe(true)
})

it('is cut when it closes before its end', async () => {
  const source = new Readable({ read() {} })
  const read = readPieces(source, limits, () => undefined)
  source.push('half')
  source.destroy()
  await expect(read).rejects.toThrow(BodyCut)
})
