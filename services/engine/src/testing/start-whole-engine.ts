// An engine with everything in it, on a machine of its own, with busybox as its image: for tests that look at what a
// container is like from within.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tarOf } from '../resources/images/testing/sample-tars.ts'
import type { Answer } from './ask-json.ts'
import { bundled } from './bundled.ts'
import { EngineClient } from './engine-client.ts'
import { type IsolatedHost, isolatedHost } from './isolated.ts'

/** Linux takes no socket paths of more than 107 bytes, whatever TMPDIR says. */
const parent = '/tmp'

export interface WholeEngine {
  /** The machine that it runs on: published ports and container addresses are reached from there. */
  host: IsolatedHost
  /** For clients that speak to it by themselves. */
  socketPath: string
  /** Of everything that it keeps. */
  folder: string
  client: EngineClient
  call(method: string, path: string, body?: unknown): Promise<Answer>
  /** Creates and starts a container as a caller of a version; it sleeps. */
  run(version: string, name: string, settings?: object): Promise<string>
  /** What a script says in a running container. */
  inside(container: string, script: string): Promise<string>
  reload(settings: object): Promise<void>
  /** Ends the engine and starts another on the same machine; containers go on. */
  restart(): Promise<void>
  /** Ends the engine as a crash does; `revive` starts another. */
  kill(): Promise<void>
  revive(): Promise<void>
  /** Its clock is so far off from now on; whoever checks certificates has another. */
  skew(ms: number): Promise<void>
  stop(): Promise<void>
}

interface Options {
  /** Of the engine's part of the configuration. */
  settings?: object
  /** Of the engine's process. */
  env?: Record<string, string>
  /** Makes the machine what it is to be, before the engine looks at it. */
  prepare?(host: IsolatedHost, folder: string): Promise<unknown>
}

export async function startWholeEngine({ settings = {}, env = {}, prepare }: Options = {}): Promise<WholeEngine> {
  const folder = mkdtempSync(join(parent, 'ae-'))
  const host = await isolatedHost()
  await prepare?.(host, folder)
  const module = await bundled('whole-engine', new URL('./whole-engine.ts', import.meta.url))
  let machine = await host.module<typeof import('./whole-engine.ts')>(module)
  await machine.start(folder, settings, env)
  const socketPath = join(folder, 'engine.sock')
  const client = new EngineClient(socketPath)
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await client.call(method, path, body)
    return { status: answer.status, body: readBody(answer.body.toString()) }
  }
  await expectStatus(200, call('POST', `/images/create?fromSrc=-&repo=busybox&${changes}`, busybox()))
  return {
    ...{ host, socketPath, folder, client, call },
    reload: (given) => machine.reload(given),
    async restart() {
      await machine.stop()
      await machine.start(folder, settings, env)
    },
    async kill() {
      await host.run('pkill', ['-KILL', '-f', 'isolated-module'])
    },
    async revive() {
      machine = await host.module<typeof import('./whole-engine.ts')>(module)
      await machine.start(folder, settings, env)
    },
    skew: (ms) => machine.skew(ms),
    async run(version, name, settings = {}) {
      const asked = { Image: 'busybox', Cmd: ['sleep', '3600'], ...settings }
      const { Id } = await expectStatus(201, call('POST', `/v${version}/containers/create?name=${name}`, asked))
      await expectStatus(204, call('POST', `/v${version}/containers/${Id}/start`))
      return Id
    },
    async inside(container, script) {
      const { exitCode, output } = await client.exec(container, ['sh', '-c', script])
      if (exitCode !== 0) throw new Error(`${script}: ${exitCode}: ${output}`)
      return output
    },
    async stop() {
      // Killed with the machine, containers would leave their control groups behind.
      const { body: containers } = await call('GET', '/containers/json?all=1')
      await Promise.all(containers.map(({ Id }: { Id: string }) => call('DELETE', `/containers/${Id}?force=1&v=1`)))
      const { body: plugins } = await call('GET', '/plugins')
      await Promise.all(plugins.map(({ Id }: { Id: string }) => call('DELETE', `/plugins/${Id}?force=1`)))
      client.close()
      await machine.stop()
      await host.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function expectStatus(status: number, answer: Promise<Answer>): Promise<Answer['body']> {
  const { status: given, body } = await answer
  if (given !== status) throw new Error(`${given} instead of ${status}: ${JSON.stringify(body)}`)
  return body
}

/** Errors before 1.24 are plain text, and progress is many lines. */
function readBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const changes = ['CMD ["sh"]', 'ENV PATH=/bin'].map((line) => `changes=${encodeURIComponent(line)}`).join('&')

/** The root file system of an image, made of the static busybox of this machine. */
export function busybox(): Buffer {
  const program = '/usr/bin/busybox'
  const applets = execFileSync(program, ['--list'], { encoding: 'utf8' }).split('\n').filter(Boolean)
  return tarOf([
    ...['bin', 'etc', 'root', 'tmp', 'var'].map((name) => ({ name: `${name}/`, type: '5' })),
    { name: 'bin/busybox', data: readFileSync(program), mode: 0o755 },
    ...applets
      .filter((name) => name !== 'busybox')
      .map((name) => ({ name: `bin/${name}`, type: '2', link: 'busybox', mode: 0o777 })),
    { name: 'etc/passwd', data: 'root:x:0:0:root:/root:/bin/sh\n' },
    { name: 'etc/group', data: 'root:x:0:\n' },
  ])
}
