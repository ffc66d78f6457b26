// A whole engine for tests, as a person starts it: `./atoll up --only engine` on a machine of its own, with a busybox image.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Ended, type IsolatedHost, type IsolatedProcess, isolatedHost } from '@atoll/engine/testing/isolated'
import { root } from '../places.ts'
import { findProgram } from '../programs/search.ts'
import { runToEnd } from './run-to-end.ts'

const needed = ['crun', 'ip', 'nft', 'unshare', 'cc', 'busybox', 'docker']

/** What this machine lacks for a test with these further programs; tests that lack something are skipped. */
export function lacking(...more: string[]): string[] {
  const programs = [...needed, ...more].filter((name) => findProgram(name) === undefined)
  const missing = process.getuid?.() === 0 ? programs : ['root', ...programs]
  if (missing.length > 0) console.warn(`Tests with a whole engine are skipped; they need ${missing.join(', ')}.`)
  return missing
}

/** Linux takes no socket paths of more than 107 bytes, whatever TMPDIR says. */
const parent = '/tmp'
const startTimeoutMs = 60_000
const importTimeoutMs = 60_000

export interface EngineServer {
  /** The machine that it runs on: published ports and container addresses are reached from there. */
  host: IsolatedHost
  /** For what the test needs beside it; removed with it. */
  folder: string
  /** Settings under which docker and docker-compose talk to it. */
  env: Record<string, string>
  socketPath: string
  /** What it wrote so far, log lines included. */
  log(): string
  /** Sends it a signal, and goes on. */
  signal(name: NodeJS.Signals): void
  /** Ends the engine alone, or by a signal of choice; containers go on. */
  end(signal?: NodeJS.Signals): Promise<number>
  /** Starts it again on the same folder. */
  start(): Promise<void>
  /** Removes every container, ends the engine properly and everything that is left. */
  stop(): Promise<void>
}

export interface MachineOptions {
  /** Of its own; otherwise that of this machine. */
  hostname?: string
  /** Makes the machine what it is to be, before the engine looks at it. */
  prepare?(host: IsolatedHost): Promise<unknown>
}

/** `services`: what is started with it, and how. */
export async function startEngineServer(
  settings: Record<string, string> = {},
  services: readonly string[] = ['--only', 'engine'],
  { hostname, prepare }: MachineOptions = {},
): Promise<EngineServer> {
  const folder = mkdtempSync(join(parent, 'ae-'))
  const data = join(folder, 'data')
  const socketPath = join(data, 'engine.sock')
  const host = await isolatedHost()
  await prepare?.(host)
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    DOCKER_HOST: `unix://${socketPath}`,
    DOCKER_CONFIG: join(folder, 'docker-config'),
    DOCKER_BUILDKIT: '0',
  }
  const written = { text: '' }
  let running: IsolatedProcess | undefined
  const server: EngineServer = {
    ...{ host, folder, env, socketPath },
    log: () => written.text,
    async start() {
      const line = [join(root, 'atoll'), 'up', ...services, '--data', data]
      const named = hostname === undefined ? [] : ['unshare', '--uts', 'sh', '-c', 'hostname "$0"; exec "$@"', hostname]
      const [command = '', ...args] = [...named, ...line]
      running = await host.spawn(command, args, { env: settings })
      await readiness(running, written)
    },
    signal: (name) => running?.kill(name),
    async end(signal = 'SIGTERM') {
      running?.kill(signal)
      return (await running?.ended) ?? 0
    },
    async stop() {
      // Killed with the machine, containers would leave their control groups behind.
      const { stdout } = await docker(env, ['ps', '--all', '--quiet'])
      const ids = stdout.split('\n').filter(Boolean)
      if (ids.length > 0) await docker(env, ['rm', '--force', '--volumes', ...ids])
      await server.end()
      await host.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    await server.start()
    await importBusybox(server)
    return server
  } catch (problem) {
    await server.stop()
    throw problem
  }
}

const docker = (env: Record<string, string>, args: string[]): Promise<Ended> =>
  runToEnd('docker', args, { env, timeoutMs: importTimeoutMs })

/** Resolves when it says that it is ready; with all that it said when it ends before. */
async function readiness(running: IsolatedProcess, written: { text: string }): Promise<void> {
  const from = written.text.length
  await new Promise<void>((resolve, reject) => {
    const refuse = (why: string) => reject(new Error(`The engine ${why}: ${written.text.slice(from)}`))
    const timer = setTimeout(() => refuse('was not ready in time'), startTimeoutMs)
    for (const stream of [running.child.stdout, running.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        written.text += text
        if (/Atoll is ready\.[\s\S]*\n$/.test(written.text.slice(from))) resolve()
      })
    }
    void running.ended.then((code) => refuse(`ended with ${code}`)).finally(() => clearTimeout(timer))
  })
}

/** `busybox:latest`, made of the static busybox of this machine. */
async function importBusybox({ folder, env }: EngineServer): Promise<void> {
  const rootfs = join(folder, 'busybox')
  for (const name of ['bin', 'etc', 'root', 'tmp', 'var', 'www']) mkdirSync(join(rootfs, name), { recursive: true })
  const program = findProgram('busybox')
  if (program === undefined) throw new Error('These tests need busybox-static: apt-get install busybox-static')
  await copyFile(program, join(rootfs, 'bin/busybox'))
  const applets = (await runToEnd(program, ['--list'], { env })).stdout.split('\n').filter(Boolean)
  for (const applet of applets) if (applet !== 'busybox') symlinkSync('busybox', join(rootfs, 'bin', applet))
  writeFileSync(join(rootfs, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n')
  writeFileSync(join(rootfs, 'etc/group'), 'root:x:0:\nnogroup:x:65534:\n')
  const archive = join(folder, 'busybox.tar')
  const packed = await runToEnd('tar', ['--numeric-owner', '-C', rootfs, '-cf', archive, '.'], { env })
  const settings = ['--change', 'CMD ["sh"]', '--change', 'ENV PATH=/bin']
  const imported = await docker(env, ['import', ...settings, archive, 'busybox:latest'])
  const problem = [packed, imported].find(({ code }) => code !== 0)
  if (problem) throw new Error(`busybox was not imported: ${problem.stderr}`)
}
