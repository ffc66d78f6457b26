// `./atoll org` and `./atoll invite` as people run them, against a real server.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { beforeAll, describe, expect, it } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'
import { root } from '../places.ts'

interface Ended {
  code: number | null
  out: string
  err: string
}

const apiKey = 'sk-org-from-the-command-line'
const adminKey = 'sk-admin-org-from-the-command-line'
const own = new Set(['ATOLL_ADMIN_KEY', 'ATOLL_URL', 'OPENAI_ADMIN_KEY', 'OPENAI_BASE_URL'])
let url: string

function atoll(args: string[], { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {}) {
  const others = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.has(name)))
  const all = {
    ...others,
    ...(Object.keys(env).length === 0 ? { OPENAI_BASE_URL: `${url}/v1`, OPENAI_ADMIN_KEY: adminKey } : env),
  }
  const child = spawn(process.execPath, [join(root, 'bin', 'start.cjs'), ...args], { env: all })
  const text = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (more) => (text.out += more))
  child.stderr.setEncoding('utf8').on('data', (more) => (text.err += more))
  child.stdin.end(input)
  return new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...text }))
  })
}

async function org(...args: string[]): Promise<string> {
  const { code, out, err } = await atoll(['org', ...args])
  expect({ args, code, err }).toEqual({ args, code: 0, err: '' })
  return out
}

const json = async (...args: string[]) => JSON.parse(await org(...args, '--json'))

async function refused(...args: string[]): Promise<string> {
  const { code, out, err } = await atoll(['org', ...args])
  expect({ args, code, out }).toEqual({ args, code: 1, out: '' })
  return err
}

const isWelcome = async (key: string): Promise<boolean> =>
  (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status === 200

beforeAll(async () => {
  const server = new ServerProcess({
    args: ['--data', await tempDir(), '--port', '0'],
    env: { ATOLL_API_KEY: apiKey, ATOLL_ADMIN_KEY: adminKey },
  })
  url = await server.ready()
}, 60_000)

describe('./atoll org', () => {
  it('invites somebody who joins with the token, changes their role and removes them (AST-204, AST-205, AST-211, AST-212)', async () => {
    await org('create-project', 'Warehouse')
    const sent = await org('invite', 'Ada@example.com', '--project', 'Warehouse')
    expect(sent).toContain('ada@example.com is invited as member')
    const token = /^ {2}\.\/atoll invite accept (\S+)$/m.exec(sent)?.[1] ?? ''
    expect(await org('invites')).toMatch(/^ID +EMAIL +ROLE +STATUS.*\ninvite-\S+ +ada@example\.com +member +pending/)
    const open = { env: { ATOLL_URL: url } }
    const joined = await atoll(['invite', 'accept', '-', '--name', 'Ada', '--key'], { ...open, input: `${token}\n` })
    expect(joined).toMatchObject({ code: 0, err: '' })
    expect(joined.out).toContain('Welcome, Ada: you are member of organization org-')
    const key = /only this once: (\S+)/.exec(joined.out)?.[1] ?? ''
    expect(await isWelcome(key)).toBe(true)
    const again = await atoll(['invite', 'accept', token], open)
    expect(again).toMatchObject({ code: 1, out: '', err: expect.stringContaining('This invite is not valid') })
    expect(await org('project-users', 'Warehouse')).toMatch(/ada@example\.com +Ada +member/)
    expect(await org('set-role', 'ada@example.com', 'owner')).toBe('ada@example.com is owner now.\n')
    expect(await json('users')).toMatchObject([{ email: 'ada@example.com', role: 'owner' }, { role: 'owner' }])
    expect(await refused('remove-user', 'ada@example.com')).toContain('say --yes')
    expect(await org('remove-user', 'ada@example.com', '--yes')).toContain('ada@example.com is removed')
    expect(await isWelcome(key)).toBe(false)
    expect(await org('users')).not.toContain('ada@example.com')
    const { id } = await json('invite', 'bob@example.com', '--role', 'reader')
    expect(await org('delete-invite', id)).toContain(`Invite ${id} is deleted`)
  }, 120_000)

  it('makes, renames and archives projects, with their bots and keys (AST-216, AST-218, AST-219, AST-236)', async () => {
    expect(await org('create-project', 'Orders')).toMatch(/^Project Orders \(proj_\w+\) is there\.\n/)
    expect(await refused('keys', 'Order')).toBe('atoll: there is no project Order; did you mean Orders?\n')
    const made = await org('create-service-account', 'Orders', 'bot')
    const key = /only this once: (sk-svcacct-\S+)/.exec(made)?.[1] ?? ''
    expect(await isWelcome(key)).toBe(true)
    const [account] = await json('service-accounts', 'Orders')
    const [listed] = await json('keys', 'Orders')
    expect(await org('keys', 'Orders')).toMatch(/key_\S+ +Secret Key +sk-svcacct-\S+ +bot \(service account\)/)
    expect(await refused('delete-key', 'Orders', listed.id, '--yes')).toContain('belongs to a service account')
    await org('delete-service-account', 'Orders', account.id, '--yes')
    expect(await isWelcome(key)).toBe(false)
    await org('rename-project', 'Orders', 'Shipments')
    await org('archive-project', 'Shipments', '--yes')
    expect(await org('projects')).not.toContain('Shipments')
    expect(await org('projects', '--archived')).toMatch(/proj_\S+ +Shipments +archived/)
    expect(await refused('archive-project', 'Default project', '--yes')).toContain('cannot be archived')
  }, 120_000)

  it('sets limits, and shows usage, costs and the audit log', async () => {
    expect(await org('activate-audit', '--yes')).toContain('The audit log is active since 20')
    const { id } = (await json('projects')).find(({ name }: { name: string }) => name === 'Default project')
    expect(await org('set-limit', id, 'gpt-4o-mini', '--requests', '500')).toMatch(/\ngpt-4o-mini +500 +\d+/)
    expect(await refused('set-limit', id, 'gpt-4o-mini')).toContain('say at least one limit')
    expect((await json('limits', id)).length).toBeGreaterThan(1)
    const audit = await org('audit', '--since', '1h', '--limit', '1')
    expect(audit).toMatch(/rate_limit\.updated +owner@localhost +127\.0\.0\.1 +Default project +rl-gpt-4o-mini\n/)
    expect(await json('audit', '--type', 'organization.updated')).toHaveLength(1)
    const body = JSON.stringify({ model: 'text-embedding-3-small', input: 'hello' })
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    expect((await fetch(`${url}/v1/embeddings`, { method: 'POST', headers, body })).status).toBe(200)
    await expect
      .poll(() => org('usage', 'embeddings', '--by', 'model', '--since', '1h', '--width', '1h'), { timeout: 20_000 })
      .toMatch(/^FROM +MODEL +.*INPUT TOKENS.*\n.*text-embedding-3-small/)
    const costs = await json('costs', '--since', '2d', '--by', 'line_item')
    expect(costs[0]).toMatchObject({ object: 'bucket' })
    expect(await org('costs', '--since', '2d', '--by', 'line_item')).toMatch(
      /^FROM +LINE ITEM +COST\n|^Nothing was spent/,
    )
  }, 120_000)

  it('takes the key from the environment or a file, and tells what is missing', async () => {
    const file = join(await tempDir(), 'key')
    writeFileSync(file, `${adminKey}\n`)
    const users = (args: string[], env: Record<string, string>) => atoll(['org', 'users', ...args], { env })
    const address = { OPENAI_BASE_URL: `${url}/v1` }
    const older = { ATOLL_URL: 'http://127.0.0.1:9', ATOLL_ADMIN_KEY: 'sk-admin-of-another' }
    const welcome: [string[], Record<string, string>][] = [
      [['--admin-key-file', file], address],
      [[], { ...address, OPENAI_ADMIN_KEY: adminKey }],
      [[], { ...older, ...address, OPENAI_ADMIN_KEY: adminKey }],
      [[], { ...address, ATOLL_ADMIN_KEY: adminKey }],
      [[], { ATOLL_URL: url, ATOLL_ADMIN_KEY: adminKey }],
    ]
    for (const [args, env] of welcome) {
      expect({ env: Object.keys(env), ...(await users(args, env)) }).toMatchObject({ code: 0, err: '' })
    }
    const cases: [string[], Record<string, string>, string][] = [
      [[], { ...address, OPENAI_ADMIN_KEY: apiKey }, '403'],
      [[], { ...address, OPENAI_ADMIN_KEY: 'sk-admin-wrong-wrong-wrong' }, '401'],
      [['--url', 'http://127.0.0.1:9'], { OPENAI_ADMIN_KEY: adminKey }, 'no server answers'],
    ]
    for (const [args, env, words] of cases) {
      const ended = await users(args, env)
      expect({ args, ...ended }).toMatchObject({ args, code: 1, out: '' })
      expect(ended.err).toContain(words)
      expect(ended.err).not.toContain('wrong-wrong')
    }
    const invited = await atoll(['invite', 'accept', 'no-such-token'], { env: address })
    expect(invited.err).toContain('the server refused with')
    expect((await atoll(['org', 'user'])).err).toContain('there is no command org user; did you mean users?')
  }, 120_000)
})
