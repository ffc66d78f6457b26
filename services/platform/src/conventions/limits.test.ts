// Limits that the documents number, each tried at its edge and one beyond.
import { expect, it } from 'vitest'
import { askV1, newAssistantV1, newThreadV1, refusalV1 } from '../resources/assistants-v1/testing/v1-requests.ts'
import { WordEmbeddings } from '../resources/vector-stores/testing/word-embeddings.ts'
import { ask, refusal } from '../testing/assistant-requests.ts'
import { describePlatformOnSqlite, type TestPlatform } from '../testing/describe-platform.ts'

const start_time = 1_700_006_400
const functions = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ type: 'function', function: { name: `tool_${index}` } }))

async function addFiles(platform: TestPlatform, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push((await platform.addFile(`${n}.txt`, `This is file ${n}.`)).id)
  return ids
}

/** How many buckets a page has, or what is wrong with the question. */
async function buckets(platform: TestPlatform, path: string, query: string): Promise<number | string | null> {
  const url = `/v1/organization/${path}?start_time=${start_time}${query}`
  const response = await platform.as(platform.adminKey).get(url)
  const body = await response.json()
  if (response.status === 200) return body.data.length
  expect(response.status).toBe(400)
  return body.error.param
}

describePlatformOnSqlite('a limit of', (start) => {
  it('AST-289 128 tools holds for an assistant: 129 are refused', async () => {
    const platform = await start({ withoutJobs: true })
    const create = { model: 'gpt-4o', tools: functions(128) }
    const { id, tools } = await ask<{ id: string; tools: object[] }>(platform, 'POST', '/v1/assistants', create)
    expect(tools).toHaveLength(128)
    const refused = { status: 400, param: 'tools', code: 'array_above_max_length' }
    for (const path of ['/v1/assistants', `/v1/assistants/${id}`]) {
      const many = { model: 'gpt-4o', tools: functions(129) }
      expect(await refusal(platform, 'POST', path, many)).toMatchObject(refused)
    }
  })

  it('AST-290 20 files holds for an assistant of the first form: 21 are refused', async () => {
    const platform = await start({ runtimes: new WordEmbeddings().runtimes })
    const ids = await addFiles(platform, 21)
    const refused = { status: 400, param: 'file_ids', code: 'array_above_max_length' }
    const many = { model: 'gpt-4', file_ids: ids }
    expect(await refusalV1(platform, 'POST', '/v1/assistants', many)).toMatchObject(refused)
    const { id, file_ids } = await newAssistantV1(platform, { file_ids: ids.slice(0, 20) })
    expect(file_ids).toHaveLength(20)
    const more = { file_id: ids[20] }
    expect(await refusalV1(platform, 'POST', `/v1/assistants/${id}/files`, more)).toMatchObject(refused)
  })

  it('AST-291 10 files holds for a message of the first form: 11 are refused', async () => {
    const platform = await start({ runtimes: new WordEmbeddings().runtimes })
    const ids = await addFiles(platform, 11)
    const path = `/v1/threads/${(await newThreadV1(platform)).id}/messages`
    const message = (count: number) => ({ role: 'user', content: 'Read', file_ids: ids.slice(0, count) })
    expect(await askV1(platform, 'POST', path, message(10))).toMatchObject({ file_ids: ids.slice(0, 10) })
    const refused = { status: 400, param: 'file_ids', code: 'array_above_max_length' }
    expect(await refusalV1(platform, 'POST', path, message(11))).toMatchObject(refused)
  })

  it.for([
    ['AST-293', '1d', 7, 31],
    ['AST-294', '1h', 24, 168],
    ['AST-295', '1m', 60, 1440],
  ] as const)('%s buckets of %s holds for usage: %i unless told, %i at most', async ([, width, few, most]) => {
    const platform = await start({ withoutJobs: true })
    const page = (query: string) => buckets(platform, 'usage/completions', `&bucket_width=${width}${query}`)
    expect(await page('')).toBe(few)
    expect(await page(`&limit=${most}`)).toBe(most)
    for (const limit of [0, most + 1]) expect(await page(`&limit=${limit}`)).toBe('limit')
  })

  it('AST-296 days holds for costs: 7 unless told, 180 at most', async () => {
    const platform = await start({ withoutJobs: true })
    const page = (query: string) => buckets(platform, 'costs', query)
    expect(await page('')).toBe(7)
    expect([await page('&limit=1'), await page('&limit=180')]).toEqual([1, 180])
    for (const limit of [0, 181]) expect(await page(`&limit=${limit}`)).toBe('limit')
  })

  it("AST-297 the organization holds for its projects' rate limits: more is refused", async () => {
    const config = { rateLimits: { requestsPerMinute: 100 } }
    const platform = await start({ withoutJobs: true, config })
    const path = `/v1/organization/projects/${platform.caller.projectId}/rate_limits/rl-gpt-4o`
    const set = async (max_requests_per_1_minute: number) => {
      const response = await platform.as(platform.adminKey).post(path, { max_requests_per_1_minute })
      return [response.status, await response.json()]
    }
    for (const limit of [1, 100]) expect(await set(limit)).toMatchObject([200, { max_requests_per_1_minute: limit }])
    expect(await set(101)).toMatchObject([400, { error: { param: 'max_requests_per_1_minute' } }])
    expect(await set(99)).toMatchObject([200, { max_requests_per_1_minute: 99 }])
  })
})
