// Stores that an earlier model embedded, in a real server that is killed while it embeds them again.
import { join } from 'node:path'
import { openDatabase } from '@atoll/kernel/db/open'
import { describeSqliteOrBoth } from '@atoll/testkit/both-targets'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import { ask } from '../control/ask.ts'
import { ServerProcess } from '../nodes/server-process.ts'
import { runAtoll } from '../run-atoll.ts'

const apiKey = 'sk-upgrade-of-vector-stores'
const longMs = 90_000

interface Store {
  id: string
  status: string
  embedding: { edition: string | null; is_current: boolean }
}

async function call<Answer>(url: string, path: string, body?: object | FormData): Promise<Answer> {
  const json = body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }
  const response = await fetch(`${url}/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${apiKey}`, ...json },
    ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Answer
}

async function fill(url: string, text: string): Promise<string> {
  const form = new FormData()
  form.set('purpose', 'assistants')
  form.set('file', new Blob([text]), 'reef.txt')
  const file = await call<{ id: string }>(url, '/files', form)
  const chunking_strategy = { type: 'static', static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 0 } }
  const { id } = await call<Store>(url, '/vector_stores', { file_ids: [file.id], chunking_strategy })
  const status = async () => (await call<Store>(url, `/vector_stores/${id}`)).status
  await expect.poll(status, { timeout: longMs, interval: 100 }).toBe('completed')
  return id
}

const found = async (url: string, id: string, query: string): Promise<string[]> => {
  const page = await call<{ data: { content: { text: string }[] }[] }>(url, `/vector_stores/${id}/search`, { query })
  return page.data.flatMap(({ content }) => content.map(({ text }) => text))
}

describeSqliteOrBoth('./atoll vector-stores upgrade', (newTarget) => {
  it(
    'embeds old stores again; killed half-way, the next start goes on',
    async () => {
      const target = await newTarget()
      const data = target.kind === 'sqlite' ? target.folder : await tempDir()
      const database = target.kind === 'postgres' ? ['--database', target.url] : []
      const up = async () => {
        const server = new ServerProcess({
          args: ['--data', data, '--port', '0', ...database],
          env: { ATOLL_API_KEY: apiKey, ATOLL_ADMIN_KEY: 'sk-admin-upgrade-of-vector-stores' },
        })
        return { server, url: await server.ready() }
      }
      const onRows = async <Result>(work: (db: Awaited<ReturnType<typeof openDatabase>>) => Promise<Result>) => {
        const db = await openDatabase(target, { log: silentLog })
        try {
          return await work(db)
        } finally {
          await db.close()
        }
      }

      const first = await up()
      const lines = Array.from({ length: 3_000 }, (_, at) => `Reef ${at} has code${at} and corals of many kinds.`)
      const id = await fill(first.url, lines.join('\n'))
      expect((await call<Store>(first.url, `/vector_stores/${id}`)).embedding.is_current).toBe(true)
      await first.server.stop()

      // As an earlier version left them: vectors of a model that is gone.
      await onRows(async (db) => {
        await db.transaction((tx) => tx.updateTable('vector_stores').set({ edition: null }).execute())
        const vector = new Uint8Array(512 * 4)
        await db.transaction((tx) => tx.updateTable('vector_chunks').set({ vector }).execute())
      })

      const second = await up()
      expect((await call<Store>(second.url, `/vector_stores/${id}`)).embedding).toMatchObject({ is_current: false })
      expect((await found(second.url, id, 'code2321')).at(0)).toContain('code2321')
      const command = runAtoll(['vector-stores', 'upgrade', '--data', data])
      const done = async () => (await ask<{ done: number }[]>(data, 'vector-stores.upgrades'))?.[0]?.done ?? 0
      await expect.poll(done, { timeout: longMs, interval: 5 }).toBeGreaterThan(0)
      await second.server.kill()
      const ended = await command
      expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('1 vector store to embed again') })

      const third = await up()
      expect((await found(third.url, id, 'code2321')).at(0)).toContain('code2321')
      const again = await runAtoll(['vector-stores', 'upgrade', '--data', data])
      expect(again, again.err).toMatchObject({ code: 0 })
      const isCurrent = async () => (await call<Store>(third.url, `/vector_stores/${id}`)).embedding.is_current
      await expect.poll(isCurrent, { timeout: longMs, interval: 100 }).toBe(true)
      expect((await runAtoll(['vector-stores', 'upgrade', '--data', data])).out).toContain('Every vector store is of')
      expect((await found(third.url, id, 'code17')).at(0)).toContain('code17 ')
      await third.server.stop()
      const zeros = await onRows(async (db) => {
        const rows = await db.queries.selectFrom('vector_chunks').select('vector').execute()
        return rows.filter(({ vector }) => vector.every((byte) => byte === 0)).length
      })
      expect(zeros).toBe(0)
    },
    4 * longMs,
  )
})

describe('./atoll vector-stores upgrade', () => {
  it('says so when no Atoll runs there', async () => {
    const ended = await runAtoll(['vector-stores', 'upgrade', '--data', join(await tempDir(), 'nothing')])
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('does not run on') })
  })
})
