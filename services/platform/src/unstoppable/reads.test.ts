// However much one project has stored, what it asks for holds up nobody else.
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { startChatModel } from '../testing/chat-model.ts'
import { complete } from '../testing/chat-requests.ts'
import { describePlatformOnSqlite, type TestPlatform } from '../testing/describe-platform.ts'

const model = startChatModel()

const stored = 150_000
const rounds = 5
/** What the loop may be held up for is 50 ms; the rest is for busy machines. bench/unstoppable has the exact figures. */
const maxDelayMs = 100

/** Keeps an answer of a model, and many more like it. */
async function keepMany(platform: TestPlatform): Promise<void> {
  const { id: first } = await complete(platform, { store: true, metadata: { team: 'blue' }, max_tokens: 1 })
  const numbers = sql`with recursive numbers (n) as (
    select 1 union all select n + 1 from numbers where n < ${sql.lit(stored)})`
  const id = sql`'chatcmpl-' || (${sql.lit(10 ** 9)} + n)`
  const { queries } = platform.kernel.db
  await sql`${numbers} insert into chat_completions
      (id, position, project_id, created_at, model, requested_model, metadata, completion, messages)
    select ${id}, n, project_id, created_at, model, requested_model, metadata, completion, messages
    from numbers, chat_completions where chat_completions.id = ${first}`.execute(queries)
  await sql`${numbers} insert into chat_completion_terms (completion_id, project_id, position, kind, name, value)
    select ${id}, project_id, n, kind, name, value
    from numbers, chat_completion_terms where completion_id = ${first}`.execute(queries)
}

async function millisecondsOf(work: () => Promise<{ status: number }>): Promise<number> {
  const begun = performance.now()
  expect((await work()).status).toBe(200)
  return performance.now() - begun
}

const median = (numbers: number[]): number => numbers.sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN

/** How much longer another caller's list of models takes while `path` is being answered. */
async function delayBeside(platform: TestPlatform, other: TestPlatform, path: string): Promise<number> {
  const alone: number[] = []
  const beside: number[] = []
  for (let round = 0; round < rounds; round++) {
    alone.push(await millisecondsOf(() => other.get('/v1/models')))
    const attack = platform.get(path)
    beside.push(await millisecondsOf(() => other.get('/v1/models')))
    expect((await attack).status).toBe(200)
  }
  return median(beside) - median(alone)
}

describePlatformOnSqlite('beside a project with 150,000 stored completions', (start) => {
  it('another caller is answered while they are searched', async () => {
    const platform = await start({ runtimes: model() })
    const other = await platform.addProject('other')
    await keepMany(platform)
    const filters = ['model=absent', 'metadata[team]=red', 'metadata[team]=blue&model=absent', 'limit=100']
    for (const filter of filters) {
      const delay = await delayBeside(platform, other, `/v1/chat/completions?${filter}`)
      expect(delay, filter).toBeLessThan(maxDelayMs)
    }
    const page = await (await platform.get('/v1/chat/completions?metadata[team]=blue&limit=2')).json()
    expect(page.data).toHaveLength(2)
    expect((await (await platform.get('/v1/chat/completions?model=absent')).json()).data).toEqual([])
  })
})
