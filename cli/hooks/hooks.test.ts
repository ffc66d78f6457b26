// `./atoll hooks` as an operator runs it, against a real gateway.
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { adminToken, type HooksServer, startHooks } from '@atoll/hooks/testing/hooks-server'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { root } from '../places.ts'

const within = { timeout: 30_000, interval: 50 }
const mappings = [
  { id: 'ci', match: { path: 'ci' }, messageTemplate: 'Build {{state}}', name: '{{who}}', sessionKey: 'hook:ci' },
]

describe('./atoll hooks', { timeout: 120_000 }, () => {
  let server: HooksServer
  let folder: string
  /** Of the gateway; the relay stays where it is when the gateway comes back elsewhere. */
  let port: number
  const relay = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    near.pipe(far).pipe(near)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
  })

  const startAgain = async (after?: HooksServer): Promise<HooksServer> => {
    const target = { kind: 'sqlite', folder } as const
    const started = await startHooks(async () => target, {
      hooks: { mappings, queue: { maxAttempts: 1 } },
      ...(after ? { after } : {}),
    })
    port = Number(new URL(started.url).port)
    return started
  }

  const url = () => `http://127.0.0.1:${(relay.address() as AddressInfo).port}`

  function start(args: string[], env: Record<string, string> = {}): ChildProcess {
    const all = { ...process.env, ATOLL_HOOKS_URL: url(), ATOLL_HOOKS_ADMIN_TOKEN: adminToken, ...env }
    return spawn(process.execPath, [join(root, 'cli', 'main.ts'), 'hooks', ...args], { cwd: folder, env: all })
  }

  async function atoll(args: string[], env: Record<string, string> = {}) {
    const child = start(args, env)
    const text = { out: '', err: '' }
    child.stdin?.end()
    child.stdout?.setEncoding('utf8').on('data', (more) => {
      text.out += more
    })
    child.stderr?.setEncoding('utf8').on('data', (more) => {
      text.err += more
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    return { code, ...text }
  }

  async function sent(body: object): Promise<string> {
    const { runId } = (await server.post('/hooks/ci', body)).body
    await vi.waitFor(async () => expect((await server.hooks.desk.get(runId))?.endedAt).not.toBeNull(), within)
    return runId
  }

  beforeAll(async () => {
    folder = await tempDir()
    server = await startAgain()
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    relay.close()
    await server.close()
  })

  it('lists, shows and replays deliveries; what a sender wrote cannot reach the terminal', async () => {
    const id = await sent({ state: 'red', who: 'Ann\u001b[2J\u009b31m' })
    const { code, out, err } = await atoll(['deliveries', '--mapping', 'ci'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(new RegExp(`^ID .*\n${id}  \\S+ \\S+  succeeded  ci +Ann`))
    const shown = await atoll(['show', id])
    expect(shown.out).toMatch(
      /state +succeeded, after 1 attempt\n[\s\S]*session +hook:ci\n[\s\S]*What came:\n {2}Build red\n/,
    )
    for (const control of ['\u001b', '\u009b']) expect(out + shown.out).not.toContain(control)
    expect(JSON.parse((await atoll(['show', id, '--json'])).out)).toMatchObject({
      id,
      action: { message: 'Build red' },
    })
    const replayed = await atoll(['replay', id])
    expect(replayed.out).toMatch(/^It is done again as dlv_\w+\.\n$/)
  })

  it('shows what was given up and tries it again', async () => {
    server.noted.onRun = async () => Promise.reject(new Error('the model is away'))
    const id = await sent({ state: 'red' })
    server.noted.onRun = (delivery) => server.noted.succeed(delivery)
    expect((await atoll(['dead-letters'])).out).toMatch(
      new RegExp(`${id} .*the model is away\nNo message was given up`),
    )
    expect((await atoll(['retry', id])).out).toMatch(/^It is done again as dlv_/)
    expect(await atoll(['retry', 'none'])).toEqual({ code: 1, out: '', err: 'atoll: there is no dead letter none.\n' })
  })

  it('pauses, resumes, and tells how things are', async () => {
    expect((await atoll(['pause', 'ci'])).out).toBe('Paused: ci. What comes in for them waits.\n')
    expect((await atoll(['status'])).out).toMatch(/^Deliveries: 0 queued, [\s\S]*Paused: ci\./)
    expect((await atoll(['resume', 'ci'])).out).toBe('Nothing is paused.\n')
    expect((await atoll(['route'])).out).toMatch(/^Replies to "last" go nowhere/)
    expect((await atoll(['route', 'irc', '#here'])).err).toMatch(
      /channel irc is not configured: set channels\.irc first/,
    )
  })

  it('tries a mapping on a file', async () => {
    writeFileSync(join(folder, 'body.json'), '{"state":"red","who":"Ann"}')
    writeFileSync(join(folder, 'bad.json'), '{')
    const { code, out } = await atoll(['test', 'ci', 'body.json'])
    expect(code).toBe(0)
    expect(out).toMatch(
      /^The sender would get 202\.[\s\S]*"message": "Build red"[\s\S]*The agent would read:\n[\s\S]*EXTERNAL_UNTRUSTED/,
    )
    expect((await atoll(['test', 'ci', 'bad.json'])).err).toBe('atoll: the file bad.json is not JSON.\n')
    expect((await atoll(['mappings'])).out).toMatch(/^ID .*\nci +ci +\* +agent/)
  })

  it('says what is missing, and never the token', async () => {
    const secret = 'wrong-token-of-somebody'
    const refused = await atoll(['status'], { ATOLL_HOOKS_ADMIN_TOKEN: secret })
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/does not know this admin token/) })
    expect(refused.err).not.toContain(secret)
    expect((await atoll(['status'], { ATOLL_HOOKS_ADMIN_TOKEN: '' })).err).toMatch(/the admin token is missing/)
    writeFileSync(join(folder, 'token'), `${adminToken}\n`)
    expect(await atoll(['status', '--token-file', 'token'], { ATOLL_HOOKS_ADMIN_TOKEN: '' })).toMatchObject({ code: 0 })
    expect((await atoll(['status', '--url', 'http://127.0.0.1:9'])).err).toMatch(/no gateway answers at http:\/\/127/)
    expect((await atoll(['tial'])).err).toMatch(/there is no command hooks tial; did you mean tail\?/)
  })

  it('follows deliveries, and goes on when the gateway is back', async () => {
    const child = start(['tail', '--recent', '1'])
    let out = ''
    let err = ''
    child.stdout?.setEncoding('utf8').on('data', (more) => {
      out += more
    })
    child.stderr?.setEncoding('utf8').on('data', (more) => {
      err += more
    })
    const closed = new Promise((resolve) => child.on('close', resolve))
    await vi.waitFor(() => expect(out).toMatch(/dlv_/), within)
    const first = await sent({ state: 'green' })
    await vi.waitFor(() => expect(out).toMatch(new RegExp(`${first}  succeeded  ci`)), within)
    await server.close()
    await vi.waitFor(() => expect(err).toMatch(/Waiting: no gateway answers/), within)
    server = await startAgain(server)
    const second = await sent({ state: 'blue' })
    await vi.waitFor(() => expect(out).toMatch(new RegExp(`${second}  succeeded  ci`)), within)
    expect(err).toMatch(/The gateway is back/)
    child.kill('SIGINT')
    expect(await closed).toBe(0)
  })
})
