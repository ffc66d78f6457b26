// "Ready" is said of what can serve: the rest stops the start, or is named there and at /readyz.
import { chownSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isolatedHost } from '@atoll/engine/testing/isolated'
import { freePort } from '@atoll/testkit/free-port'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import { lacking } from '../engine/engine-server.ts'
import { ServerProcess } from '../nodes/server-process.ts'
import { root } from '../places.ts'

const nobody = 65_534
const isRoot = process.getuid?.() === 0

async function refusal(...args: string[]): Promise<string> {
  const server = new ServerProcess({ args: ['--data', await tempDir(), '--port', '0', ...args] })
  await expect(server.ready()).rejects.toThrow('ended before')
  return server.output
}

describe('a start', () => {
  it('is refused with a model file that is no model', async () => {
    const said = await refusal('--model', '/etc/hosts')
    expect(said).toMatch(
      /^Atoll did not start: .*\n {2}platform\.chatModel \(--model\): The model file hosts cannot be used: not a/,
    )
    const file = join(await tempDir(), 'atoll.json')
    const runtimes = { big: { kind: 'llama', file: '/etc/hostname' } }
    writeFileSync(file, JSON.stringify({ services: ['platform'], platform: { runtimes } }))
    expect(await refusal('--config', file)).toContain(
      'platform.runtimes.big: The model file hostname cannot be used: not a',
    )
  }, 60_000)

  it('names a service that the machine cannot run, runs the rest, and tells it at /readyz', async () => {
    const data = await tempDir()
    if (isRoot) chownSync(data, nobody, nobody)
    const user = isRoot ? { user: nobody } : {}
    const server = new ServerProcess({ args: ['--data', data, '--port', '0', '--only', 'platform,engine'], ...user })
    const url = await server.ready()
    expect(server.output).not.toContain('Atoll is ready.')
    expect(server.output).toMatch(/not all of it is ready:\n\n {2}engine +The container engine needs root/)
    const answer = await fetch(`${url}/readyz`)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ status: 'ok', absent: { engine: expect.stringContaining('needs root') } })
  }, 60_000)

  it.skipIf(lacking().length > 0)(
    'names an engine without its default network',
    async () => {
      const host = await isolatedHost()
      const socketPath = join(await tempDir(), 'engine.sock')
      try {
        await host.run('ip', ['link', 'add', 'atoll0', 'type', 'bridge'])
        await host.run('ip', ['link', 'set', 'atoll0', 'alias', 'atoll:0123456789:bridge'])
        const config = join(await tempDir(), 'atoll.json')
        writeFileSync(config, JSON.stringify({ engine: { socket: socketPath, bridge: { name: 'atoll0' } } }))
        const args = ['up', '--only', 'engine', '--data', await tempDir(), '--config', config]
        const engine = await host.spawn(join(root, 'atoll'), args)
        let said = ''
        engine.child.stdout?.setEncoding('utf8').on('data', (text) => (said += text))
        await expect.poll(() => said, { timeout: 60_000 }).toContain('Then try:')
        expect(said).toMatch(
          /not all of it is ready:\n\n {2}engine +the default network cannot be made: atoll0 belongs/,
        )
        expect(await host.run('curl', ['-s', '--unix-socket', socketPath, 'http://engine/readyz'])).toMatchObject({
          stdout: expect.stringContaining('"status":"unavailable","reason":"the default network cannot be made'),
        })
        engine.kill('SIGTERM')
        await engine.ended
      } finally {
        await host.stop()
      }
    },
    120_000,
  )

  it('is ready for those who ask /readyz once its keys can be read from what it has printed', async () => {
    const [folder, port] = [await tempDir(), await freePort()]
    const printed = join(folder, 'printed')
    const server = new ServerProcess({
      args: ['--data', join(folder, 'data'), '--port', `${port}`, '--only', 'platform,hooks'],
      through: ['sh', '-c', `exec "$0" "$@" > ${printed}`],
    })
    const status = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ status }) => status,
        () => 0,
      )
    while ((await status()) !== 200) expect(server.output).not.toContain('did not start')
    expect(readFileSync(printed, 'utf8')).toMatch(/export OPENAI_API_KEY=sk-\S+\n[\s\S]*export ATOLL_HOOKS_TOKEN=\S+\n/)
    expect(await server.stop()).toBe(0)
  }, 60_000)

  it('shows a page to a browser that opens the address, and the usual error to programs', async () => {
    const server = new ServerProcess({ args: ['--data', await tempDir(), '--port', '0', '--only', 'platform,hooks'] })
    for (const [name, example] of [
      ['platform', '/v1/models'],
      ['hooks', '/hooks/wake'],
    ] as const) {
      const url = await server.ready(name)
      const page = await fetch(url, { headers: { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' } })
      expect(page.status).toBe(200)
      expect(page.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; base-uri/,
      )
      const text = await page.text()
      expect(text).toContain(`<title>Atoll ${name}</title>`)
      expect(text).toContain(`${url}${example}`)
      for (const [, path] of text.matchAll(/href="([^"]+)"/g)) expect((await fetch(url + path)).status).toBe(200)
      for (const init of [{}, { headers: { accept: 'application/json' } }, { method: 'POST' }]) {
        const answer = await fetch(url, init)
        expect(answer.status).toBe(404)
        expect(answer.headers.get('content-type')).not.toContain('html')
      }
    }
    expect(await server.stop()).toBe(0)
  }, 60_000)
})
