// The whole program as a person runs it: keys once, clear refusals, a proper end.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { root } from '../places.ts'

const folder = mkdtempSync(join(tmpdir(), 'atoll-start-'))
const data = join(folder, 'data')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function up(...args: string[]) {
  return upWith({}, ...args)
}

function upWith(env: Record<string, string>, ...args: string[]) {
  const child = spawn(join(root, 'atoll'), ['up', '--data', data, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  children.push(child)
  const said = { out: '', err: '' }
  const ready = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said.out += text
      if (said.out.includes('Atoll is ready.') && said.out.endsWith('\n')) resolve()
    })
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.err += text
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, said, ready: Promise.race([ready, ended]), ended }
}

describe('./atoll up', () => {
  it('shows working keys on the first start only, and ends properly on a signal', async () => {
    const first = up('--port', '0')
    await first.ready
    const setting = (name: string) => new RegExp(`export ${name}=(\\S+)`).exec(first.said.out)?.[1]
    const models = await fetch(`${setting('OPENAI_BASE_URL')}/models`, {
      headers: { authorization: `Bearer ${setting('OPENAI_API_KEY')}` },
    })
    expect(models.status, first.said.err).toBe(200)
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)

    const second = up('--port', '0')
    await second.ready
    expect(second.said.out).toContain('Atoll is ready.')
    expect(second.said.out).not.toContain('sk-')
    second.child.kill('SIGINT')
    expect(await second.ended).toBe(0)
  }, 120_000) // the first start of this code compiles all of it before

  it('says that a secret of a service it does not have is without effect, and never the secret', async () => {
    const env = { ATOLL_HOOKS_TOKEN: 'hook-secret-1', ATOLL_CLUSTER_ADMIN: 'root:secret-2' }
    const running = upWith(env, '--port', '0', '--only', 'platform')
    await running.ready
    expect(running.said.out).toMatch(/ATOLL_HOOKS_TOKEN is set, but .* it has no effect/)
    expect(running.said.out).toMatch(/ATOLL_CLUSTER_ADMIN is set, but .* it has no effect/)
    expect(running.said.out + running.said.err).not.toMatch(/hook-secret-1|secret-2/)
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(0)
  })

  it('is not stopped by the variables of those who use a server, in whatever shell it is started', async () => {
    const variables = ['ATOLL_URL', 'ATOLL_HOOKS_URL', 'ATOLL_HOOKS_ADMIN_TOKEN', 'ATOLL_CLUSTER_URL']
    const env = Object.fromEntries(['OPENAI_BASE_URL', ...variables].map((name) => [name, 'http://127.0.0.1:9']))
    const running = upWith({ ...env, ATOLL_CLUSTER_USER: 'a@b.c:d' }, '--port', '0')
    await running.ready
    expect(running.said).toMatchObject({ err: '', out: expect.stringContaining('Atoll is ready.') })
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(0)
  })

  it('refuses a folder or a port that is in use, in one line', async () => {
    const running = up('--port', '0')
    await running.ready
    const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(running.said.out)?.[1] ?? ''
    const sameFolder = up('--port', '0')
    expect(await sameFolder.ended).toBe(1)
    expect(sameFolder.said.err).toMatch(/^Atoll did not start: .*data folder .* in use.*\n$/)
    const samePort = up('--port', port, '--data', join(folder, 'other'))
    expect(await samePort.ended).toBe(1)
    expect(samePort.said.err).toBe(
      `Atoll did not start: port ${port} on 127.0.0.1 is in use by another program. Choose another with --port.\n`,
    )
  })

  it('shows the keys at the first start that comes up, not to nobody at one that failed', async () => {
    const fresh = join(folder, 'fresh')
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    // The port of the platform, then that of hooks, then a model that cannot be loaded.
    for (const args of [
      ['--port', `${port}`],
      ['--port', `${port - 1}`],
      ['--port', '0', '--model', '/etc/hosts'],
    ]) {
      const failed = up(...args, '--data', fresh)
      expect({ args, code: await failed.ended }).toEqual({ args, code: 1 })
      expect(failed.said.err).toMatch(/in use by another program|cannot be used/)
    }
    taken.close()
    const first = up('--port', '0', '--data', fresh)
    await first.ready
    for (const name of ['OPENAI_API_KEY', 'OPENAI_ADMIN_KEY', 'ATOLL_HOOKS_TOKEN']) {
      expect(first.said.out).toContain(`export ${name}=`)
    }
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
  }, 120_000)

  it('names every fault of the configuration', async () => {
    const wrong = up('--port', 'http', '--tls', 'on')
    expect(await wrong.ended).toBe(1)
    expect(wrong.said.err.split('\n')).toEqual([
      'Atoll did not start: the configuration is wrong.',
      '  port: expected a whole number from 0 to 65535, got "http" (--port)',
      '  tls: expected "off", "self-signed", or a certificate and a key, got "on" (--tls)',
      '',
    ])
  })
})
