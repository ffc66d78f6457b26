// What the kernel writes is for its owner alone, whatever the umask.
import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createKernel } from './create-kernel.ts'
import { newIndex, saveIndex } from './vectors/index-file.ts'

let umask: number

beforeEach(() => {
  umask = process.umask(0o000)
})

afterEach(() => {
  process.umask(umask)
})

/** Every file and folder below, as `mode path`, that somebody else could read or write. */
function openBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => ({ name, mode: statSync(join(folder, name)).mode & 0o777 }))
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ name, mode }) => `${mode.toString(8)} ${name}`)
}

it('nobody else can read a database, its log, a blob or an index', async () => {
  const data = join(await tempDir(), 'data')
  const open = () =>
    createKernel({ config: { data, database: { poolSize: 1 }, blobs: {} }, log: silentLog, migrations: [] })
  const kernel = await open()
  await kernel.blobs.write(Readable.from([Buffer.from('bytes')]), { maxBytes: 100 })
  await sql`create table items (id text)`.execute(kernel.db.queries)
  const about = { key: 'one', dimensions: 4, count: 0, last: 0, lastVectorSum: 0 }
  await saveIndex(newIndex(4), join(data, 'vectors', 'one.index'), about)
  expect(readdirSync(data)).toEqual(expect.arrayContaining(['atoll.db', 'atoll.db-wal', 'atoll.db-shm', 'lock.db']))
  expect(openBelow(data)).toEqual([])
  await kernel.close()
  for (const name of ['atoll.db', 'lock.db']) chmodSync(join(data, name), 0o644)
  const again = await open()
  await sql`insert into items values ('x')`.execute(again.db.queries)
  expect(openBelow(data)).toEqual([])
  await again.close()
})
