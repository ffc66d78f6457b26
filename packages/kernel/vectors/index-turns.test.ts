// Large indexes beside small ones: neither building one nor writing its file keeps the others waiting.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { sqliteTarget } from '@atoll/testkit/both-targets'
import { tempDir } from '@atoll/testkit/temp-dir'
import { sql } from 'kysely'
import { expect, it, vi } from 'vitest'
import { loadIndex, newIndex, saveIndex } from './index-file.ts'
import type { IndexRequest } from './index-protocol.ts'
import { Shelf } from './shelf.ts'
import { chunksFrom, direction } from './testing/directions.ts'
import { storeOpener } from './testing/stores.ts'

const open = storeOpener()

it('builds a small index beside a large one', async () => {
  const store = await open(await sqliteTarget(), { settings: { indexFrom: 100 } })
  await store.add('large', 'a', chunksFrom(0, 1_500, 64))
  await store.near('large', direction(1, 64))
  await store.add('small', 'a', chunksFrom(5_000, 150, 64))
  const settled: string[] = []
  const settle = (name: string): Promise<unknown> => store.vectors.settle(name).then(() => settled.push(name))
  await Promise.all([settle('large'), settle('small')])
  expect(settled).toEqual(['small', 'large'])
}, 120_000)

it('takes two vectors at a time into an index: whoever searches comes in between', async () => {
  const folder = await tempDir()
  const files = { file: join(folder, 'one.index'), wordFile: join(folder, 'one.words') }
  const settings = { indexFrom: 10, maxWaitingBytes: 1e6 }
  const shelf = await Shelf.open({ key: 'one', dimensions: 8, ...files, isElsewhere: false }, settings)
  const numbers = Float64Array.from({ length: 51 }, (_, at) => at + 1)
  shelf.extend(
    numbers,
    Float32Array.from({ length: 51 * 8 }, (_, at) => Math.sin(at)),
  )
  for (let steps = 1; shelf.canAbsorb; steps++) {
    shelf.absorbSome()
    expect(shelf.state.indexed).toBe(Math.min(51, steps * 2))
  }
  expect(shelf.state.indexed).toBe(51)
})

it('takes the words of a few chunks at a time: whoever searches comes in between', async () => {
  const store = await open(await sqliteTarget())
  await store.add('vs', 'a', chunksFrom(0, 700))
  const posted = vi.spyOn(Worker.prototype, 'postMessage')
  await store.near('vs', direction(1))
  const asked = posted.mock.calls.map(([message]) => (message as { request?: IndexRequest }).request)
  posted.mockRestore()
  const counts = asked.flatMap((request) => (request?.kind === 'words' ? [request.chunks.numbers.length] : []))
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(700)
  expect(Math.max(...counts)).toBeLessThanOrEqual(64)
})

it('reads the few rows that a search ranks and gives in the thread that asks, and waits for no other', async () => {
  const store = await open(await sqliteTarget())
  // Beyond this size of a database, reads that may be long go to threads of their own.
  for (let part = 0; part < 12; part++) await store.add('vs', `${part}`, chunksFrom(part * 200, 200, 1_024))
  const search = { collections: ['vs'], vector: direction(7, 1_024), text: 'number7 number8 chunk', limit: 10 }
  await store.vectors.search(search)
  const posted = vi.spyOn(Worker.prototype, 'postMessage')
  const found = await store.vectors.search(search)
  const read = posted.mock.calls.filter(([message]) => (message as { kind?: string }).kind === 'read')
  posted.mockRestore()
  expect(found).toHaveLength(10)
  expect(read).toEqual([])
}, 60_000)

it('leaves its thread to others while a file is written and read', async () => {
  const index = newIndex(1_024)
  const count = 2_000
  const vectors = Float32Array.from({ length: count * 1_024 }, (_, at) => Math.sin(at))
  index.add(
    BigUint64Array.from({ length: count }, (_, at) => BigInt(at + 1)),
    vectors,
    1,
  )
  const file = join(await tempDir(), 'one.index')
  const about = { key: 'one', dimensions: 1_024, count, last: count, lastVectorSum: 0 }
  let turns = 0
  let isOver = false
  const others = (async () => {
    for (; !isOver; turns++) await setImmediate()
  })()
  await saveIndex(index, file, about)
  const turnsOfSaving = turns
  expect(await loadIndex(file, about)).toMatchObject({ about })
  isOver = true
  await others
  expect(turnsOfSaving).toBeGreaterThan(5)
  expect(turns - turnsOfSaving).toBeGreaterThan(3)
}, 60_000)

it('lets others write while much is removed', async () => {
  const store = await open(await sqliteTarget())
  await sql`create table notes (id integer primary key)`.execute(store.db.queries)
  for (let owner = 0; owner < 4; owner++) await store.add('vs', `${owner}`, chunksFrom(owner * 500, 500))
  let notes = 0
  let isOver = false
  const writing = (async () => {
    for (; !isOver; notes++) await store.db.transaction((tx) => sql`insert into notes default values`.execute(tx))
  })()
  await store.removeCollection('vs')
  const before = notes
  await store.vectors.settle('vs')
  const during = notes - before
  isOver = true
  await writing
  expect(during).toBeGreaterThan(20)
}, 60_000)

it('can be closed at any moment of a search', async () => {
  const child = fileURLToPath(new URL('./testing/closing-child.ts', import.meta.url))
  const args = [child, await tempDir()]
  const { status, signal, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 50_000 })
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' })
}, 60_000)
