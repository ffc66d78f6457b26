// `./atoll vector-stores watch` as a person runs it, against a real server.
import { tempDir } from '@atoll/testkit/temp-dir'
import { beforeAll, expect, it } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'
import { type Ended, runAtoll } from '../run-atoll.ts'

const key = 'sk-watch-from-the-command-line'
let url: string

beforeAll(async () => {
  const server = new ServerProcess({
    args: ['--data', await tempDir(), '--port', '0'],
    env: { ATOLL_API_KEY: key, ATOLL_ADMIN_KEY: 'sk-admin-watch-from-the-command-line' },
  })
  url = `${await server.ready()}/v1`
})

async function call<Answer>(path: string, body: FormData | object): Promise<Answer> {
  const isForm = body instanceof FormData
  const headers = { authorization: `Bearer ${key}`, ...(isForm ? {} : { 'content-type': 'application/json' }) }
  const response = await fetch(`${url}/${path}`, {
    method: 'POST',
    headers,
    body: isForm ? body : JSON.stringify(body),
  })
  return (await response.json()) as Answer
}

async function addFile(name: string, content: string): Promise<string> {
  const form = new FormData()
  form.set('purpose', 'assistants')
  form.set('file', new Blob([content]), name)
  return (await call<{ id: string }>('files', form)).id
}

const watch = (...args: string[]): Promise<Ended> =>
  runAtoll(['vector-stores', 'watch', ...args], { OPENAI_BASE_URL: url, OPENAI_API_KEY: key })

it('follows a store until its files can be searched, and tells which cannot and why', async () => {
  const words = 'the harbour has seven ships and a crane that never rests. '.repeat(50)
  const file_ids = [await addFile('good.txt', words), await addFile('bad.pdf', 'no PDF at all')]
  const { id } = await call<{ id: string }>('vector_stores', { name: 'Harbour', file_ids })
  const { code, out, err } = await watch(id)
  expect(err).toMatch(/\/2 files {2}\d failed {2}[\d.]+ MB/)
  expect(err).toMatch(/2\/2 files {2}1 failed/)
  expect(out).toContain(`${id} (Harbour): 1 of 2 files can be searched.\n  ${file_ids[1]}: `)
  expect(out).toContain('it is no PDF')
  expect(code).toBe(1)
}, 120_000)

it('says that there is nothing to watch, or no such store, or no key', async () => {
  expect(await watch()).toMatchObject({ code: 0, out: 'No vector store has files that are worked on.\n' })
  const unknown = await watch('vs_none')
  expect(unknown.code).toBe(1)
  expect(unknown.err).toContain('vs_none')
  const keyless = await runAtoll(['vector-stores', 'watch'], { OPENAI_BASE_URL: url })
  expect(keyless.err).toContain('OPENAI_API_KEY is not set')
}, 60_000)
