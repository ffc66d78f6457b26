// "Ready" is said of what can serve: the rest stops the start, or is named there and at /readyz.
import { chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isolatedHost } from '@atoll/engine/testing/isolated'
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
      /^Atoll did not start: .*\n {2}platform\.chatModel \(--model\): \/etc\/hosts cannot answer: not a/,
    )
    const file = join(await tempDir(), 'atoll.json')
    const runtimes = { big: { kind: 'llama', file: '/etc/hostname' } }
    writeFileSync(file, JSON.stringify({ services: ['platform'], platform: { runtimes } }))
    expect(await refusal('--config', file)).toContain('platform.runtimes.big.file: /etc/hostname cannot answer: not a')
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
        writeFileSync(config, JSON.stringify({ engine: { socket: socketPath } }))
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
})
