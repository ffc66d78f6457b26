// However much goes with what somebody deletes: it is gone for callers at once, and others write meanwhile.
import { setTimeout as pause } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { expect, it } from 'vitest'
import { describePlatform, type TestPlatform } from '../testing/describe-platform.ts'

/** Rows that many turns remove. */
const many = 20_000
/** Removed in one turn, all would be gone after the first one or two. */
const leastWritesBeside = 5
const beta = { 'openai-beta': 'assistants=v2' }
const slow = { timeout: 120_000 }

const numbers = (count: number) => sql`with recursive numbers (n) as (
  select 1 union all select n + 1 from numbers where n < ${sql.lit(count)})`

const run = (platform: TestPlatform, statement: RawBuilder<unknown>) => statement.execute(platform.kernel.db.queries)

async function made(platform: TestPlatform, path: string, body: object): Promise<string> {
  const response = await platform.post(path, body, beta)
  expect(response.status).toBe(200)
  return ((await response.json()) as { id: string }).id
}

async function isEmpty(platform: TestPlatform, rows: RawBuilder<unknown>): Promise<boolean> {
  return (await run(platform, sql`${rows} limit 1`)).rows.length === 0
}

/** How many writes of another project are done while there are rows left, as far as it matters. */
async function writesWhile(other: TestPlatform, isLeft: () => Promise<boolean>): Promise<number> {
  for (let writes = 0; writes < leastWritesBeside; writes++) {
    await made(other, '/v1/threads', {})
    if (!(await isLeft())) return writes
  }
  return leastWritesBeside
}

interface Removal {
  path: string
  /** What callers could still find of it. */
  within?: readonly string[]
  /** Queries that find nothing when all is gone. */
  left: readonly RawBuilder<unknown>[]
}

async function remove(platform: TestPlatform, { path, within = [], left }: Removal): Promise<void> {
  const other = await platform.addProject('other')
  expect((await platform.request('DELETE', path, { headers: beta })).status).toBe(200)
  const isLeft = async () => !(await Promise.all(left.map((rows) => isEmpty(platform, rows)))).every(Boolean)
  const writing = writesWhile(other, isLeft)
  for (const gone of [path, ...within]) expect((await platform.get(gone, beta)).status, gone).toBe(404)
  expect(await writing).toBe(leastWritesBeside)
  while (await isLeft()) await pause(20)
}

describePlatform('beside the removal of very much', (start) => {
  it('of a thread, another project’s writes are not held up', slow, async () => {
    const platform = await start()
    const thread = await made(platform, '/v1/threads', { messages: [{ role: 'user', content: 'x'.repeat(500) }] })
    const assistant = await made(platform, '/v1/assistants', { model: 'gpt-4o' })
    const caller = JSON.stringify(platform.caller)
    await run(
      platform,
      sql`${numbers(many)} insert into messages (id, position, thread_id, created_at, role, status, content, attachments, metadata)
        select 'msg_' || (1000000000 + n), n, thread_id, created_at, role, status, content, attachments, metadata
        from numbers, messages where thread_id = ${thread}`,
    )
    await run(
      platform,
      sql`${numbers(many / 10)} insert into runs (id, position, created_at, project_id, thread_id, assistant_id, caller,
          status, settings, metadata, turns, prompt_tokens, completion_tokens, expires_at)
        select 'run_' || (1000000000 + n), n, 1, ${platform.caller.projectId}, ${thread}, ${assistant}, ${caller},
          'completed', '{}', '{}', 1, 1, 1, 1 from numbers`,
    )
    await run(
      platform,
      sql`${numbers(many / 2)} insert into run_steps (id, position, created_at, run_id, thread_id, assistant_id, turn, status, details, work)
        select 'step_' || (1000000000 + n), n, 1, 'run_' || (1000000000 + n % ${sql.lit(many / 10)}), ${thread}, ${assistant}, 1, 'completed', '{}', '{}'
        from numbers`,
    )
    await remove(platform, {
      path: `/v1/threads/${thread}`,
      within: ['messages', 'messages/msg_1000001999', 'runs', 'runs/run_1000001999', 'runs/run_1000001999/steps'].map(
        (part) => `/v1/threads/${thread}/${part}`,
      ),
      left: ['messages', 'run_steps', 'runs'].map(
        (table) => sql`select 1 from ${sql.table(table)} where thread_id = ${thread}`,
      ),
    })
  })

  it('of a vector store, another project’s writes are not held up', slow, async () => {
    const platform = await start()
    const store = await made(platform, '/v1/vector_stores', { name: 'large' })
    const file = sql`'file-' || (1000000000 + n)`
    const files = 2_000
    await run(
      platform,
      sql`${numbers(files)} insert into vector_store_files (id, position, store_id, file_id, caller, created_at, status,
          chunk_tokens, overlap_tokens, chunks, usage_bytes, failures)
        select 'vsf_' || (1000000000 + n), n, ${store}, ${file}, '{}', 1, 'completed', 800, 400, 0, 0, 0 from numbers`,
    )
    await run(
      platform,
      sql`${numbers(many / 500)} insert into vector_store_file_batches (id, store_id, created_at)
        select 'vsfb_' || n, ${store}, 1 from numbers`,
    )
    await run(
      platform,
      sql`${numbers(many)} insert into vector_store_batch_members (batch_id, file_id)
        select 'vsfb_' || (n % ${sql.lit(many / 500)} + 1), ${file} from numbers`,
    )
    await remove(platform, {
      path: `/v1/vector_stores/${store}`,
      within: ['files', 'file_batches/vsfb_1'].map((part) => `/v1/vector_stores/${store}/${part}`),
      left: [
        sql`select 1 from vector_store_files where store_id = ${store}`,
        sql`select 1 from vector_store_batch_members where batch_id like 'vsfb_%'`,
        sql`select 1 from vector_store_file_batches where store_id = ${store}`,
      ],
    })
  })

  it('of a file that is in very many stores, another project’s writes are not held up', slow, async () => {
    const platform = await start()
    const { id: file } = await platform.addFile('note.txt', 'Words.')
    const store = await made(platform, '/v1/vector_stores', { name: 'one of many' })
    const stores = 2_000
    await run(
      platform,
      sql`${numbers(stores)} insert into vector_stores (id, position, project_id, created_at, metadata, model, last_active_at, expired)
        select 'vs_' || (1000000000 + n), n, project_id, created_at, metadata, model, last_active_at, 0
        from numbers, vector_stores where id = ${store}`,
    )
    await run(
      platform,
      sql`${numbers(stores)} insert into vector_store_files (id, position, store_id, file_id, caller, created_at, status,
          chunk_tokens, overlap_tokens, chunks, usage_bytes, failures)
        select 'vsf_' || (1000000000 + n), n, 'vs_' || (1000000000 + n), ${file}, '{}', 1, 'completed', 800, 400, 0, 0, 0
        from numbers`,
    )
    await remove(platform, {
      path: `/v1/files/${file}`,
      within: [`/v1/vector_stores/vs_1000000001/files/${file}`, `/v1/vector_stores/vs_1000002000/files/${file}`],
      left: [sql`select 1 from vector_store_files where file_id = ${file} and status <> 'removed'`],
    })
  })
})
