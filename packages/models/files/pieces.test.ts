import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Pieces } from './pieces.ts'

describe('the pieces of a file', () => {
  it('are each taken once, at most sixteen at a time, and are all there in the end', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 16 }),
        fc.array(fc.tuple(fc.nat(60), fc.nat(60)), { maxLength: 4 }),
        (bytes, pieceBytes, connections, done) => {
          const pieces = new Pieces(bytes, pieceBytes, done)
          const fetched = new Uint8Array(bytes)
          const before = pieces.doneBytes
          for (let run = pieces.take(connections); run; run = pieces.take(connections)) {
            expect(run.start % pieceBytes).toBe(0)
            expect(run.end - run.start).toBeLessThanOrEqual(16 * pieceBytes)
            for (let at = run.start; at < run.end; at++) fetched[at]!++
            pieces.advance(run.start, run.end)
          }
          expect(fetched.every((count) => count <= 1)).toBe(true)
          expect(fetched.filter((count) => count === 1).length).toBe(bytes - before)
          expect(pieces.doneBytes).toBe(bytes)
          expect(pieces.doneStretches()).toEqual([[0, Math.ceil(bytes / pieceBytes) - 1]])
        },
      ),
    )
  })

  it('count as there only when they are whole', () => {
    const pieces = new Pieces(1_000, 300)
    expect(pieces.take(1)).toEqual({ start: 0, end: 600 })
    expect([pieces.advance(0, 299), pieces.advance(0, 300), pieces.advance(0, 599)]).toEqual([false, true, false])
    expect(pieces.doneBytes).toBe(300)
    expect(pieces.advance(900, 1_000)).toBe(true)
    expect([pieces.doneBytes, pieces.doneStretches()]).toEqual([
      400,
      [
        [0, 0],
        [3, 3],
      ],
    ])
    expect(new Pieces(1_000, 300, pieces.doneStretches()).doneBytes).toBe(400)
  })
})
