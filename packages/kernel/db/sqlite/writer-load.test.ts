import { expect, it } from 'vitest'
import { DatabaseOverloaded } from '../overloaded.ts'
import { WriterLoad } from './writer-load.ts'

const mebibyte = 1024 * 1024
const bytes = (mebibytes: number) => [new Uint8Array(mebibytes * mebibyte)]

it('refuses what is more than may wait, until some of it is done', () => {
  const load = new WriterLoad()
  const paper = bytes(60)
  const admitted = Array.from({ length: 12 }, () => ({ bytes: load.admit(paper) }))
  expect(() => load.admit(paper)).toThrow(DatabaseOverloaded)
  for (const call of admitted) load.sent(call)
  load.done(admitted[0]!)
  expect(() => load.admit(paper)).not.toThrow()
})

it('refuses a single write that the thread could not hold', () => {
  expect(() => new WriterLoad().admit(bytes(65))).toThrow('more than 64 MiB')
})

it('gives the thread messages of a few mebibytes, and no more at once than it has room for', () => {
  const load = new WriterLoad()
  const paper = bytes(3)
  const gathered = Array.from({ length: 30 }, (_, n) => ({ n, bytes: load.admit(paper) }))
  const sent: number[][] = []
  while (load.hasRoom) sent.push(load.nextMessage(gathered).map(({ n }) => n))
  expect(sent.every((message) => message.length === 2)).toBe(true)
  expect(sent.flat()).toEqual(Array.from({ length: sent.length * 2 }, (_, n) => n))
  expect(gathered).toHaveLength(30 - sent.length * 2)
  expect(sent.length).toBeLessThan(8)
})
