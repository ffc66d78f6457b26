// Whoever owns the data folder and has lost a key makes another, while Atoll runs and while it does not.
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, describe, expect, it } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'
import { findProgram } from '../programs/search.ts'
import { runAtoll } from '../run-atoll.ts'
import type { KeptKey } from './key.ts'

const folder = await tempDir()
const on = ['--data', join(folder, 'data')]
const services = findProgram('redis-server') === undefined ? 'platform,hooks' : 'platform,hooks,cluster'
const servers: ServerProcess[] = []
afterAll(async () => {
  for (const server of servers) await server.stop()
})

async function start(env: Record<string, string> = {}) {
  const server = new ServerProcess({ args: [...on, '--port', '0', '--only', services], env })
  servers.push(server)
  const [platform, hooks] = [await server.ready(), await server.ready('hooks')]
  const cluster = services.includes('cluster') ? await server.ready('cluster') : ''
  return { server, platform, hooks, cluster }
}

/** What a command shows to be copied. */
async function made(...args: string[]): Promise<string> {
  const { code, out, err } = await runAtoll(['keys', ...args, ...on])
  expect({ args, code, err }).toMatchObject({ args, code: 0 })
  return /^export \w+=(\S+)\n$/.exec(out)?.[1] ?? ''
}

const list = async (): Promise<KeptKey[]> => JSON.parse((await runAtoll(['keys', ...on, '--json'])).out)
const idOf = (keys: KeptKey[], kind: KeptKey['kind']): string => keys.find((key) => key.kind === kind)?.id ?? ''

async function status(url: string, authorization: string, init: RequestInit = {}): Promise<number> {
  return (await fetch(url, { ...init, headers: { authorization } })).status
}

const wake = (hooks: string, token: string): Promise<number> =>
  status(`${hooks}/hooks/wake`, `Bearer ${token}`, { method: 'POST', body: '{"text":"x"}' })

const basic = (user: string): string => `Basic ${Buffer.from(user).toString('base64')}`

describe('./atoll keys', () => {
  it('says what to do where there are none yet', async () => {
    const { code, err } = await runAtoll(['keys', ...on])
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('./atoll up makes the first ones') })
  })

  it('replaces a lost key while Atoll runs, at once, and shows no secret in lists', async () => {
    const old = {
      api: 'sk-proj-that-somebody-lost',
      admin: 'sk-admin-that-somebody-lost',
      hooks: 'a-token-that-is-lost',
    }
    const env = { ATOLL_API_KEY: old.api, ATOLL_ADMIN_KEY: old.admin, ATOLL_HOOKS_TOKEN: old.hooks }
    const { server, platform, hooks, cluster } = await start(env)
    const users = `${platform}/v1/organization/users`
    expect(await status(users, `Bearer ${old.admin}`)).toBe(200)
    expect(await wake(hooks, old.hooks)).toBe(200)
    await runAtoll(['org', 'activate-audit', '--yes'], {
      OPENAI_BASE_URL: `${platform}/v1`,
      OPENAI_ADMIN_KEY: old.admin,
    })

    const keys = await list()
    expect(JSON.stringify(keys)).not.toMatch(/lost/)
    const admin = await made('replace', idOf(keys, 'admin'))
    expect(await status(users, `Bearer ${admin}`)).toBe(200)
    expect(await status(users, `Bearer ${old.admin}`)).toBe(401)
    const api = await made('create', 'project', '--name', 'second')
    expect(await status(`${platform}/v1/models`, `Bearer ${api}`)).toBe(200)
    expect(await status(`${platform}/v1/models`, `Bearer ${old.api}`)).toBe(200)
    const found = (await list()).find(({ name }) => name === 'second')
    expect((await runAtoll(['keys', 'delete', found?.id ?? '', '--yes', ...on])).code).toBe(0)
    expect(await status(`${platform}/v1/models`, `Bearer ${api}`)).toBe(401)

    const token = await made('replace', 'hooks')
    await expect.poll(() => wake(hooks, token), { timeout: 10_000 }).toBe(200)
    expect(await wake(hooks, old.hooks)).toBe(401)
    if (cluster !== '') {
      const user = await made('replace', 'cluster')
      expect(await status(`${cluster}/v1/users`, basic(user))).toBe(200)
    }
    const entries = await runAtoll(['org', 'audit', '--json'], {
      OPENAI_BASE_URL: `${platform}/v1`,
      OPENAI_ADMIN_KEY: admin,
    })
    expect(JSON.parse(entries.out).map(({ type }: { type: string }) => type)).toEqual(
      expect.arrayContaining(['api_key.created', 'api_key.deleted']),
    )
    expect((await runAtoll(['audit', 'verify', ...on])).code).toBe(0)
    expect(await server.stop()).toBe(0)

    // The environment that still has it does not bring it back.
    const again = await start({ ATOLL_HOOKS_TOKEN: old.hooks })
    expect(await wake(again.hooks, old.hooks)).toBe(401)
    expect(await wake(again.hooks, token)).toBe(200)
    expect(await again.server.stop()).toBe(0)
  }, 240_000)

  it('makes and replaces keys while Atoll is stopped', async () => {
    const admin = await made('create', 'admin')
    const token = await made('replace', 'hooks')
    const adminToken = await made('replace', 'hooks-admin')
    const user = services.includes('cluster') ? await made('replace', 'cluster') : ''
    const { server, platform, hooks, cluster } = await start()
    expect(await status(`${platform}/v1/organization/users`, `Bearer ${admin}`)).toBe(200)
    expect(await wake(hooks, token)).toBe(200)
    expect(await status(`${hooks}/hooks-admin/deliveries`, `Bearer ${adminToken}`)).toBe(200)
    if (user !== '') expect(await status(`${cluster}/v1/users`, basic(user))).toBe(200)
    expect(await server.stop()).toBe(0)
  }, 180_000)

  it('refuses what cannot be, in a line', async () => {
    const refused: [string[], string][] = [
      [['replace', 'key_nobody'], 'there is no key key_nobody'],
      [['create', 'projct'], 'not for projct'],
      [['create', 'project', '--project', 'Orders'], 'there is no project Orders; there are Default project'],
      [['delete', 'hooks', '--yes'], 'hooks cannot be deleted, only replaced'],
      [['replace', idOf(await list(), 'service account')], 'is the key of a service account'],
    ]
    for (const [args, words] of refused) {
      const { code, out, err } = await runAtoll(['keys', ...args, ...on])
      expect({ args, code, out, lines: err.split('\n').length }).toEqual({ args, code: 1, out: '', lines: 2 })
      expect(err).toContain(words)
    }
  }, 120_000)
})
