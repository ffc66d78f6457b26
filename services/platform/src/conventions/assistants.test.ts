// What all operations on assistants, threads and vector stores have in common.
import { expect, it } from 'vitest'
import { ask, assistantsV2 } from '../testing/assistant-requests.ts'
import { describePlatformOnSqlite, type TestPlatform } from '../testing/describe-platform.ts'
import { errorOf } from '../testing/requests.ts'

interface Listed {
  object: string
  data: { id: string; object: string; created_at: number }[]
  first_id: string | null
  last_id: string | null
  has_more: boolean
}

const kinds = [
  { path: '/v1/assistants', object: 'assistant', body: { model: 'gpt-4o-mini' } },
  { path: '/v1/vector_stores', object: 'vector_store', body: { name: 'one' } },
]

async function newObjects(platform: TestPlatform, path: string, body: object): Promise<string[]> {
  const made: string[] = []
  for (let count = 0; count < 5; count++) made.unshift((await ask<{ id: string }>(platform, 'POST', path, body)).id)
  return made
}

describePlatformOnSqlite('operations on assistants', (start) => {
  it('AST-001 AST-002 AST-003 AST-004 AST-005 AST-006 AST-301 list in pages, newest first, both ways', async () => {
    const platform = await start()
    for (const { path, object, body } of kinds) {
      const newest = await newObjects(platform, path, body)
      const list = async (query: string): Promise<Listed> => ask(platform, 'GET', `${path}?${query}`)
      const ids = async (query: string) => (await list(query)).data.map(({ id }) => id)
      const page = await list('limit=2&order=desc')
      expect(page).toMatchObject({ object: 'list', first_id: newest[0], last_id: newest[1], has_more: true })
      expect(page.data.map((one) => one.object)).toEqual([object, object])
      expect(Math.abs((page.data[0]?.created_at ?? 0) - Date.now() / 1000)).toBeLessThan(60)
      expect(await ids(`limit=2&after=${newest[1]}`)).toEqual(newest.slice(2, 4))
      expect(await ids(`limit=2&before=${newest[3]}`)).toEqual(newest.slice(1, 3))
      expect(await ids('order=asc')).toEqual([...newest].reverse())
      expect(await list(`after=${newest[4]}`)).toEqual({
        ...{ object: 'list', data: [], first_id: null, last_id: null, has_more: false },
      })
    }
  })

  it('AST-007 AST-008 AST-009 AST-011 ask for an ordinary key and for the header', async () => {
    const platform = await start()
    const paths = ['/v1/assistants', '/v1/threads/thread_x', '/v1/threads/thread_x/runs', '/v1/vector_stores']
    for (const path of paths) {
      const noKey = await platform.as(undefined).get(path, assistantsV2)
      expect([path, noKey.status]).toEqual([path, 401])
      const adminKey = await platform.as(platform.adminKey).get(path, assistantsV2)
      expect([path, adminKey.status]).toEqual([path, 403])
    }
    const header = async (headers: Record<string, string>) => platform.get('/v1/assistants', headers)
    expect((await header({ 'Vendor-Beta': 'assistants=v2' })).status).toBe(200)
    expect((await header({ 'Vendor-Beta': 'assistants=v1' })).status).toBe(200)
    expect((await header({ 'OpenAI-Beta': 'other=v7, assistants=v2' })).status).toBe(200)
    for (const headers of [{}, { 'Vendor-Beta': 'assistants=v3' }, { 'Vendor-Beta': 'assistants' }]) {
      const refused = await header(headers as Record<string, string>)
      expect(refused.status).toBe(400)
      expect((await errorOf(refused)).code).toBe('invalid_beta')
    }
    expect((await platform.get('/v1/vector_stores')).status).toBe(200)
  })

  it('AST-299 AST-302 answer in the form that was asked for, with the headers of every operation', async () => {
    const platform = await start()
    const { id } = await ask<{ id: string }>(platform, 'POST', '/v1/assistants', { model: 'gpt-4o-mini' })
    const form = async (version: string) =>
      platform.get(`/v1/assistants/${id}`, { 'Vendor-Beta': `assistants=${version}` })
    expect(Object.keys(await (await form('v2')).json())).toContain('tool_resources')
    expect(Object.keys(await (await form('v1')).json())).toContain('file_ids')
    const { headers } = await form('v2')
    const names = [
      'x-ratelimit-limit-requests',
      'vendor-organization',
      'vendor-processing-ms',
      'vendor-version',
      'x-request-id',
    ]
    expect(names.filter((name) => headers.get(name) === null)).toEqual([])
  })
})
