import { appendFileSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import { createIds } from '@atoll/kernel/ids/ids'
import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { usageEventsMigration } from '../../migrations/0005-usage-events.ts'
import { usageAndLimitsMigration } from '../../migrations/0015-usage-and-limits.ts'
import { waitUntil } from '../../testing/wait-until.ts'
import { UsageRecorder } from './recorder.ts'
import { sumUsage } from './store.ts'
import { usageEvent } from './testing/usage-event.ts'

const ids = createIds(systemClock)
const recorderOn = (db: Database, folder: string) => new UsageRecorder({ db, ids, log: silentLog, folder })
const stored = async (db: Database) =>
  (await db.queries.selectFrom('usage_events').select('id').orderBy('id').execute()).map(({ id }) => id)
const everything = { organizationId: 'org_1', operations: ['chat', 'embeddings'], from: 0, to: 2_000_000_000 }
const deadProcess = 2 ** 22 + 1 // more than any system gives

describeBothDatabases('usage', (open) => {
  it('reaches the database by itself within a moment, as it was told', async () => {
    const db = await open([usageEventsMigration, usageAndLimitsMigration])
    const folder = await tempDir()
    const recorder = recorderOn(db, folder)
    const odd = usageEvent({
      id: 'usage_2',
      model: `ft:a'b"c\\n:ü🎉`,
      batch: 1,
      user_id: null,
      service_account_id: 'svc',
    })
    recorder.record(usageEvent({ id: 'usage_1' }))
    recorder.record(odd)
    expect(readdirSync(folder)).toHaveLength(1)
    await waitUntil(async () => (await stored(db)).length === 2)
    await waitUntil(() => readdirSync(folder).length === 0)
    const rows = await db.queries.selectFrom('usage_events').selectAll().orderBy('id').execute()
    expect(rows).toEqual([usageEvent({ id: 'usage_1' }), odd])
    await recorder.close()
  })

  it('of many calls is all there after one flush', async () => {
    const db = await open([usageEventsMigration, usageAndLimitsMigration])
    const recorder = recorderOn(db, await tempDir())
    for (let n = 0; n < 12_345; n++) recorder.record(usageEvent({ id: `usage_${n}` }))
    await recorder.flush()
    const [sum] = await sumUsage(db.queries, { ...everything, groupBy: [] })
    expect(sum).toEqual({ requests: 12_345, input_tokens: 123_450, cached_input_tokens: 49_380, output_tokens: 61_725 })
    await recorder.close()
  })

  it('is summed by project, user, key, model and batch, over a span of time', async () => {
    const db = await open([usageEventsMigration, usageAndLimitsMigration])
    const recorder = recorderOn(db, await tempDir())
    const record = (fields: Parameters<typeof usageEvent>[0]) => recorder.record(usageEvent(fields))
    record({ id: 'a', created_at: 100 })
    record({ id: 'b', created_at: 199, model: 'small', batch: 1 })
    record({ id: 'c', created_at: 200 })
    record({ id: 'd', created_at: 150, project_id: 'proj_2', operation: 'embeddings' })
    record({ id: 'e', created_at: 150, organization_id: 'org_2' })
    await recorder.close()
    const sum = (query: object) => sumUsage(db.queries, { ...everything, from: 100, to: 200, groupBy: [], ...query })
    expect(await sum({})).toMatchObject([{ requests: 3, input_tokens: 30 }])
    expect(await sum({ operations: ['chat'] })).toMatchObject([{ requests: 2 }])
    expect(await sum({ projectId: 'proj_2' })).toMatchObject([{ requests: 1 }])
    expect(await sum({ from: 300, to: 400 })).toEqual([])
    expect(await sum({ groupBy: ['project_id', 'model', 'batch'] })).toMatchObject([
      { project_id: 'proj_1', model: 'gpt-4o', batch: 0, requests: 1 },
      { project_id: 'proj_1', model: 'small', batch: 1, requests: 1 },
      { project_id: 'proj_2', model: 'gpt-4o', batch: 0, requests: 1 },
    ])
  })

  it('reaches the database when the disk takes and gives back nothing, however much comes at once', async () => {
    const db = await open([usageEventsMigration, usageAndLimitsMigration])
    const parent = await tempDir()
    const folder = join(parent, 'usage')
    const recorder = recorderOn(db, folder)
    recorder.record(usageEvent({ id: 'usage_0' }))
    renameSync(folder, join(parent, 'away'))
    writeFileSync(folder, 'no folder')
    await recorder.flush()
    for (let n = 1; n <= 50; n++) recorder.record(usageEvent({ id: `usage_${n}` }))
    await recorder.flush()
    expect(await stored(db)).toHaveLength(51)
    rmSync(folder)
    renameSync(join(parent, 'away'), folder)
    recorder.record(usageEvent({ id: 'usage_51' }))
    expect(readdirSync(folder)).toHaveLength(2)
    await recorder.close()
    expect(await stored(db)).toHaveLength(52)
  })

  it('waits in the data folder while the database is away, and doubles nothing afterwards', async () => {
    const away = await open()
    await away.close()
    const folder = await tempDir()
    const first = recorderOn(away, folder)
    first.record(usageEvent({ id: 'usage_1' }))
    await first.close()
    expect(readdirSync(folder)).toHaveLength(1)
    const db = await open([usageEventsMigration, usageAndLimitsMigration])
    for (let life = 0; life < 2; life++) {
      const next = recorderOn(db, folder)
      await next.close()
    }
    expect(await stored(db)).toEqual(['usage_1'])
  })

  it('of an earlier life is read up to where a crash cut it, and its file removed', async () => {
    const db = await open([usageEventsMigration, usageAndLimitsMigration])
    const folder = await tempDir()
    const name = `${deadProcess}.mark.1.${encodeURIComponent(hostname())}.jsonl`
    const lines = ['usage_1', 'usage_2'].map((id) => JSON.stringify(usageEvent({ id })))
    writeFileSync(join(folder, name), `${lines.join('\n')}\n\0\0\0\n{"id":"x"}\n${lines[0]?.slice(0, 40)}`)
    const recorder = recorderOn(db, folder)
    await waitUntil(async () => (await stored(db)).length === 2)
    await recorder.close()
    expect(readdirSync(folder)).toEqual([])
  })

  it("of another live process is read, but its file is the other's to remove", async () => {
    const db = await open([usageEventsMigration, usageAndLimitsMigration])
    const folder = await tempDir()
    const host = encodeURIComponent(hostname())
    const files = [`1.mark.1.${host}.jsonl`, `${deadProcess}.mark.1.elsewhere.jsonl`, `1.mark.2.${host}.jsonl`]
    for (const [n, name] of files.entries()) {
      appendFileSync(join(folder, name), `${JSON.stringify(usageEvent({ id: `usage_${n}` }))}\n`)
    }
    const longAgo = new Date(Date.now() - 48 * 3600 * 1000)
    utimesSync(join(folder, files[2]!), longAgo, longAgo)
    const recorder = recorderOn(db, folder)
    await recorder.close()
    expect(await stored(db)).toEqual(['usage_0', 'usage_1', 'usage_2'])
    expect(readdirSync(folder).sort()).toEqual(files.slice(0, 2).sort())
  })

  it('still reaches the database when the folder cannot be written', async () => {
    const db = await open([usageEventsMigration, usageAndLimitsMigration])
    const folder = await tempDir()
    const recorder = recorderOn(db, folder)
    rmSync(folder, { recursive: true })
    recorder.record(usageEvent({ id: 'usage_1' }))
    recorder.record(usageEvent({ id: 'usage_2' }))
    await recorder.close()
    expect(await stored(db)).toEqual(['usage_1', 'usage_2'])
  })
})
