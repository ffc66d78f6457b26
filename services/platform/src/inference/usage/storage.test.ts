import { ManualClock } from '@atoll/kernel/clock/clock'
import { expect, it } from 'vitest'
import { adminOf } from '../../resources/organization/testing/admin-client.ts'
import { asPage } from '../../resources/organization/usage/testing/usage-page.ts'
import { StoreRequests } from '../../resources/vector-stores/testing/store-requests.ts'
import { WordEmbeddings } from '../../resources/vector-stores/testing/word-embeddings.ts'
import { describePlatform } from '../../testing/describe-platform.ts'
import { checkPublished } from '../../testing/published-schemas.ts'
import { mostBytes, StorageUse, storageCost } from './storage.ts'

const day = 86_400
const midnight = 1_700_006_400
const gigabyte = 1_000_000_000
const dollar = 1_000_000_000

describePlatform('bytes of vector stores', (start) => {
  it('are told as they are measured, by project and over time (AST-279)', async () => {
    const { runtimes } = new WordEmbeddings()
    const before = await start({ runtimes })
    const stores = new StoreRequests(before)
    const fileId = await stores.addText('coral.txt', 'Corals are animals.')
    const { id } = await stores.create({ file_ids: [fileId] })
    const { usage_bytes: held } = await stores.settled(id)
    expect(held).toBeGreaterThan(0)
    await before.close()
    // Without the job, which measures at its own times.
    const platform = await start({ runtimes, after: before, withoutJobs: true })
    await platform.kernel.db.queries.deleteFrom('usage_storage').execute()
    const measureAt = async (second: number) => {
      const clock = new ManualClock(second * 1000)
      await new StorageUse({ db: platform.kernel.db, clock, gigabyteDayPrice: 0.1 }).measure()
    }
    await measureAt(midnight + 100)
    await measureAt(midnight + 160) // as before
    expect((await platform.delete(`/v1/vector_stores/${id}/files/${fileId}`)).status).toBe(200)
    await measureAt(midnight + 2 * day)
    await measureAt(midnight + 2 * day + 60)
    const steps = await platform.kernel.db.queries.selectFrom('usage_storage').select(['since', 'bytes']).execute()
    expect(steps.sort((one, other) => one.since - other.since)).toEqual([
      { since: midnight + 100, bytes: held },
      { since: midnight + 2 * day, bytes: 0 },
    ])
    const { usage } = adminOf(platform)
    const query = { start_time: midnight - day, end_time: midnight + 4 * day }
    const page = asPage(await usage.vectorStores(query))
    checkPublished('UsageResponse', page)
    const object = 'organization.usage.vector_stores.result'
    const result = { object, usage_bytes: held, project_id: null }
    expect(page.data.map(({ results }) => results)).toEqual([[], [result], [result], [], []])
    const { projectId: project_id } = platform.caller
    const grouped = asPage(await usage.vectorStores({ ...query, group_by: ['project_id'] }))
    expect(grouped.data[1]?.results).toEqual([{ ...result, project_id }])
    const others = asPage(await usage.vectorStores({ ...query, project_ids: ['proj_none'] }))
    expect(others.data.flatMap(({ results }) => results)).toEqual([])
    const minutes = { start_time: midnight + 60, end_time: midnight + 180, bucket_width: '1m' as const }
    expect(asPage(await usage.vectorStores(minutes)).data.map(({ results }) => results)).toEqual([[result], [result]])
  })
})

it('bytes of vector stores cost by how many there are, and for how long', () => {
  const price = { gigabyte_day_cost: 0.1 * dollar }
  const steps = [
    { since: 100, bytes: 2 * gigabyte, ...price },
    { since: 100 + day, bytes: gigabyte, gigabyte_day_cost: 0.2 * dollar },
    { since: 100 + 2 * day, bytes: 0, ...price },
  ]
  expect(storageCost(steps, 0, 100)).toBe(0)
  expect(storageCost(steps, 0, 100 + day / 2)).toBe(0.1 * dollar)
  expect(storageCost(steps, 100 + day / 2, 100 + 9 * day)).toBe(0.3 * dollar)
  expect([mostBytes(steps, 0, 101), mostBytes(steps, 100 + day, 9 * day)]).toEqual([2 * gigabyte, gigabyte])
  expect(mostBytes(steps, 100 + 2 * day, 9 * day)).toBe(0)
})
