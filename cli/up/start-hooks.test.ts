// The gateway as a person starts it: beside a platform, with tokens shown once, reloaded by a signal.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { root } from '../places.ts'

const folder = mkdtempSync(join(tmpdir(), 'atoll-hooks-'))
const firstData = join(folder, 'data')
const file = join(folder, 'atoll.json')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function up(config: object, only = 'platform,hooks', env: Record<string, string> = {}, data = firstData) {
  writeFileSync(file, JSON.stringify(config))
  const args = ['up', '--data', data, '--port', '0', '--only', only, '--config', file]
  const child = spawn(join(root, 'atoll'), args, { cwd: folder, env: { ...process.env, ...env } })
  children.push(child)
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.err += text
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const ready = () => expect.poll(() => said.out, { timeout: 60_000 }).toContain('Atoll is ready.')
  const url = () => / hooks +(\S+)/.exec(said.out)?.[1]
  const made = (name: string) => new RegExp(`export ${name}=(\\S+)`).exec(said.out)?.[1]
  const wake = async (token: string | undefined) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${url()}/hooks/wake`, { method: 'POST', headers, body: '{"text":"x"}' })).status
  }
  return { child, said, ended, ready, url, made, wake }
}

describe('./atoll up --only platform,hooks', () => {
  it('shows tokens that work on the first start only, and takes on another token at SIGHUP', async () => {
    const first = up({ agents: { defaults: { heartbeat: { every: '0m' } } } })
    await first.ready()
    const token = first.made('ATOLL_HOOKS_TOKEN')
    expect(first.made('ATOLL_HOOKS_ADMIN_TOKEN'), first.said.err).toBeDefined()
    expect(await first.wake(token), first.said.err).toBe(200)
    expect(await first.wake('wrong')).toBe(401)
    expect(statSync(join(firstData, 'hooks', 'platform.key')).mode & 0o777).toBe(0o600)

    writeFileSync(file, JSON.stringify({ hooks: { token: 'a-token-of-our-own' } }))
    first.child.kill('SIGHUP')
    await expect.poll(() => first.said.err, { timeout: 20_000 }).toContain('read again')
    expect(await first.wake(token)).toBe(401)
    expect(await first.wake('a-token-of-our-own')).toBe(200)
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    expect(first.said.err + first.said.out.split('Atoll is ready.')[0]).not.toContain(token)

    const second = up({})
    await second.ready()
    expect(second.said.out).not.toMatch(/export|hooks_|sk-/)
    expect(await second.wake(token)).toBe(200)
  }, 120_000)

  it('runs agents on the platform beside it where both are behind a certificate that nobody trusts', async () => {
    const { child, said, ended, ready, url, made } = up({ tls: 'self-signed' }, undefined, {}, join(folder, 'tls'))
    await ready()
    const ca = readFileSync(join(folder, 'tls', 'self-signed.pem'))
    const ask = async (path: string, token: string | undefined, body?: string) => {
      const headers = { authorization: `Bearer ${token}` }
      const sent = request(`${url()}${path}`, { ca, headers, method: body === undefined ? 'GET' : 'POST' }).end(body)
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      return json(answer) as Promise<{ runId: string; deliveries: { id: string; state: string }[] }>
    }
    const { runId } = await ask(
      '/hooks/agent',
      made('ATOLL_HOOKS_TOKEN'),
      '{"message": "Say hello.", "deliver": false}',
    )
    const deliveries = () => ask('/hooks-admin/deliveries', made('ATOLL_HOOKS_ADMIN_TOKEN'))
    await expect
      .poll(async () => (await deliveries()).deliveries.find(({ id }) => id === runId)?.state, { timeout: 60_000 })
      .toBe('succeeded')
    expect(said.out + said.err).not.toContain('PlatformAway')
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  }, 120_000)

  it('does not start with a wrong configuration, and names the key', async () => {
    const wrong: [config: object, line: RegExp, only?: string, env?: Record<string, string>][] = [
      [{ hooks: { enabled: true } }, /hooks\.enabled requires hooks\.token/],
      [{ hooks: { path: '/' } }, /hooks\.path: .*may not be '\/'/],
      [{ hooks: { tokn: 'x' } }, /hooks\.tokn: there is no such setting; did you mean token/],
      [
        { hooks: { token: 'sk-same' } },
        /hooks\.token: the same as ATOLL_API_KEY/,
        undefined,
        { ATOLL_API_KEY: 'sk-same' },
      ],
      [{}, /agents\.platform\.url: missing/, 'hooks'],
    ]
    for (const [config, line, only, env] of wrong) {
      const { ended, said } = up(config, only, env)
      expect(await ended).toBe(1)
      expect(said.err).toMatch(line)
      expect(said.err).not.toContain('sk-same')
    }
  }, 240_000)
})
