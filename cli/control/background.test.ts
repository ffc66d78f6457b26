// An Atoll without a terminal: started, looked at, read and stopped by commands.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, describe, expect, it } from 'vitest'
import { root } from '../places.ts'
import { runAtoll } from '../run-atoll.ts'

const folders: string[] = []
afterAll(async () => {
  for (const folder of folders) await runAtoll(['stop', '--data', folder])
})

async function dataFolder(): Promise<string> {
  const folder = join(await tempDir(), 'data')
  folders.push(folder)
  return folder
}

describe('./atoll up --detach', () => {
  it('shows the keys and ends; status, logs and stop then speak of what runs', async () => {
    const data = await dataFolder()
    const on = ['--data', data]
    expect(await runAtoll(['status', ...on])).toMatchObject({ code: 3, out: expect.stringContaining('does not run') })
    const started = await runAtoll(['up', ...on, '--port', '0', '--only', 'platform', '--detach'])
    expect(started, started.err).toMatchObject({ code: 0, out: expect.stringContaining('Atoll is ready.') })
    const setting = (name: string) => new RegExp(`export ${name}=(\\S+)`).exec(started.out)?.[1] ?? ''
    const headers = { authorization: `Bearer ${setting('OPENAI_API_KEY')}` }
    expect((await fetch(`${setting('OPENAI_BASE_URL')}/models`, { headers })).status).toBe(200)

    const status = await runAtoll(['status', ...on])
    expect(status, status.err).toMatchObject({ code: 0, out: expect.stringMatching(/platform +http:\S+ +ready\n$/) })
    const { services } = JSON.parse((await runAtoll(['status', ...on, '--json'])).out)
    expect(services).toMatchObject([{ name: 'platform', url: setting('OPENAI_BASE_URL').replace('/v1', '') }])
    const again = await runAtoll(['up', ...on, '--port', '0', '--detach'])
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('runs on') })

    const file = join(data, 'atoll.log')
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect((await runAtoll(['logs', ...on, '--lines', '1'])).out).toBe(`${lines.at(-1)}\n`)
    expect((await runAtoll(['logs', ...on])).out).not.toContain('sk-')
    expect(statSync(file).mode & 0o777).toBe(0o600)

    expect(await runAtoll(['stop', ...on])).toMatchObject({ code: 0, out: `Atoll on ${data} is stopped.\n` })
    await expect(fetch(`${setting('OPENAI_BASE_URL')}/models`)).rejects.toThrow()
    expect(await runAtoll(['status', ...on])).toMatchObject({ code: 3 })
    expect(await runAtoll(['stop', ...on])).toMatchObject({ code: 0, out: expect.stringContaining('does not run') })
  }, 180_000)

  it('tells why it did not start, and leaves nothing running', async () => {
    const data = await dataFolder()
    const failed = await runAtoll(['up', '--data', data, '--model', '/etc/hosts', '--detach'])
    expect(failed).toMatchObject({ code: 1, out: '', err: expect.stringContaining('hosts cannot be used') })
    expect(await runAtoll(['status', '--data', data])).toMatchObject({ code: 3 })
  }, 120_000)

  it('is found in a folder whose name is longer than a socket can have', async () => {
    const data = join(await dataFolder(), 'deep'.repeat(30))
    folders.push(data)
    const started = await runAtoll(['up', '--data', data, '--port', '0', '--only', 'platform', '--detach'])
    expect(started, started.err).toMatchObject({ code: 0 })
    expect(await runAtoll(['status', '--data', data])).toMatchObject({ code: 0 })
    expect(await runAtoll(['stop', '--data', data])).toMatchObject({ code: 0 })
  }, 120_000)

  it('that is interrupted leaves nothing behind; one whose terminal is gone comes up all the same', async () => {
    const data = await dataFolder()
    const args = ['up', '--data', data, '--port', '0', '--only', 'platform', '--detach']
    const begun = async () => {
      const starter = spawn(join(root, 'atoll'), args, { stdio: 'ignore' })
      const ended = once(starter, 'exit')
      await expect.poll(() => existsSync(join(data, 'lock.db')), { timeout: 60_000, interval: 5 }).toBe(true)
      return { starter, ended }
    }
    const first = await begun()
    first.starter.kill('SIGINT')
    expect(await first.ended).toEqual([130, null])
    rmSync(join(data, 'lock.db')) // what shows that the next one has begun

    const second = await begun()
    second.starter.kill('SIGKILL')
    await second.ended
    const code = async () => (await runAtoll(['status', '--data', data])).code
    await expect.poll(code, { timeout: 60_000 }).toBe(0)
  }, 180_000)
})
