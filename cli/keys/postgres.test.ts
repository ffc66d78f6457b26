// ./atoll keys on PostgreSQL: the database is what counts, not the folder of whoever asks.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describePostgres } from '@atoll/testkit/both-targets'
import { createPostgresDatabase } from '@atoll/testkit/postgres'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'
import { runAtoll } from '../run-atoll.ts'

const start = async (data: string, ...args: string[]) => {
  const server = new ServerProcess({ args: ['--data', data, '--port', '0', '--only', 'platform', ...args] })
  return { server, url: await server.ready() }
}

const keyIn = (out: string): string => /^export \w+=(\S+)\n$/.exec(out)?.[1] ?? ''

const statusWith = async (url: string, key: string): Promise<number> =>
  (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status

describePostgres('./atoll keys on PostgreSQL', () => {
  it('makes a key from any machine, and it ends at once on the one that serves', async () => {
    const database = ['--database', await createPostgresDatabase()]
    const { server, url } = await start(join(await tempDir(), 'data'), ...database)
    const on = [...database, '--data', join(await tempDir(), 'elsewhere')]
    const made = await runAtoll(['keys', 'create', 'project', '--name', 'from afar', ...on])
    expect(made, made.err).toMatchObject({ code: 0 })
    const key = keyIn(made.out)
    expect(await statusWith(url, key)).toBe(200)
    const keys: { id: string; name: string }[] = JSON.parse((await runAtoll(['keys', '--json', ...on])).out)
    const found = keys.find(({ name }) => name === 'from afar')
    expect((await runAtoll(['keys', 'delete', found?.id ?? '', '--yes', ...on])).code).toBe(0)
    await expect.poll(() => statusWith(url, key), { timeout: 10_000 }).toBe(401)
    expect(await server.stop()).toBe(0)
    const later = await runAtoll(['keys', 'create', 'admin', ...on])
    expect(keyIn(later.out), later.err).toMatch(/^sk-admin-/)
  }, 120_000)

  it('asks the database that is named, also while an Atoll runs on the folder with another', async () => {
    const url = await createPostgresDatabase()
    const first = await start(join(await tempDir(), 'data'), '--database', url)
    expect(await first.server.stop()).toBe(0)
    const data = join(await tempDir(), 'data')
    const local = await start(data)
    const made = await runAtoll(['keys', 'create', 'project', '--data', data, '--database', url])
    expect(made, made.err).toMatchObject({ code: 0 })
    expect(await statusWith(local.url, keyIn(made.out))).toBe(401)
    expect(await local.server.stop()).toBe(0)
  }, 120_000)

  it('says in a line that the database is empty or away, and changes nothing', async () => {
    const empty = await createPostgresDatabase()
    const data = join(await tempDir(), 'data')
    const none = await runAtoll(['keys', '--data', data, '--database', empty])
    expect(none).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^atoll: there are no keys in .*\n$/) })
    expect(await runAtoll(['keys', '--data', data, '--database', empty])).toEqual(none)
    expect(existsSync(data)).toBe(false)
    const away = 'postgres://atoll:hunter2@127.0.0.1:9/orders'
    expect(await runAtoll(['keys', '--data', data, '--database', away])).toEqual({
      ...{ code: 1, out: '' },
      err: 'atoll: the database at 127.0.0.1:9/orders cannot be used: nothing listens there. It is the one of --database.\n',
    })
  }, 120_000)
})
