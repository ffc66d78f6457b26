// Many clients, much data, clients that are killed; and nothing is left on the machine afterwards.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type EngineServer, lacking, startEngineServer } from './engine-server.ts'
import { Transcript } from './transcript.ts'

const megabyte = 1024 ** 2
const lacks = lacking()
let server: EngineServer
let tour: Transcript
const docker = (...args: string[]): Promise<string> => tour.docker(...args)
const folder = (name: string): string[] => readdirSync(join(server.folder, 'data/engine', name))
/** Links, rules, mounts and processes of the engine's machine. */
async function machine(): Promise<Record<string, string[]>> {
  const lines = async (command: string, ...args: string[]) =>
    (await server.host.run(command, args)).stdout.split('\n').filter(Boolean)
  return {
    links: (await lines('ip', '-o', 'link')).map((line) => line.split(': ')[1] ?? ''),
    rules: await lines('nft', '--stateless', 'list', 'ruleset'),
    mounts: (await lines('cat', '/proc/self/mounts')).map((line) => line.split(' ')[1] ?? ''),
    processes: (await lines('ps', '-eo', 'comm')).filter((name) => name !== 'ps').sort(),
    containers: folder('containers'),
    run: folder('run'),
  }
}
let before: Record<string, string[]>

/** A docker command that has said something. */
async function speaking(args: string[]): Promise<ChildProcess> {
  const child = spawn('docker', args, { env: server.env })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  const ended = once(child, 'close').then(() => Promise.reject(new Error(`docker ended: ${complaint}`)))
  await Promise.race([once(child.stdout, 'data'), ended])
  ended.catch(() => undefined) // later it may
  return child
}

beforeAll(async () => {
  if (lacks.length > 0) return
  server = await startEngineServer()
  tour = new Transcript(server)
  // What an image brought is still written to the disk when it has been answered.
  const withoutSync = async () => {
    const seen = await machine()
    return seen.processes?.includes('sync') ? undefined : seen
  }
  before = await vi.waitUntil(withoutSync, { timeout: 30_000 })
}, 120_000)

afterAll(async () => {
  await server?.stop()
}, 60_000)

describe.skipIf(lacks.length > 0)('the engine', { timeout: 60_000 }, () => {
  it('serves many clients at once', async () => {
    const numbers = Array.from({ length: 16 }, (_, index) => String(index))
    const said = await Promise.all(numbers.map((number) => docker('run', '--rm', 'busybox', 'echo', number)))
    expect(said).toEqual(numbers)
    await docker('run', '-d', '--name', 'shared', 'busybox', 'top')
    const executed = await Promise.all(numbers.map((number) => docker('exec', 'shared', 'echo', number)))
    expect(executed).toEqual(numbers)
    await docker('rm', '-f', 'shared')
  })

  it('carries much data both ways without losing a byte', async () => {
    const sent = join(server.folder, 'sent')
    // More than anything on the way keeps for a slow reader.
    const data = randomBytes(12 * megabyte)
    writeFileSync(sent, data)
    const sum = createHash('sha256').update(data).digest('hex')
    const shell = (script: string) => tour.run('sh', ['-c', script])
    expect(await shell(`docker run -i --rm busybox sha256sum < ${sent}`)).toBe(`${sum}  -`)
    expect(await shell(`docker run -i --rm busybox cat < ${sent} | sha256sum`)).toBe(`${sum}  -`)
    await docker('run', '-d', '--name', 'store', 'busybox', 'top')
    expect(await shell(`docker exec -i store sh -c 'cat > /it && sha256sum /it' < ${sent}`)).toBe(`${sum}  /it`)
    expect(await shell('docker exec store cat /it | sha256sum')).toBe(`${sum}  -`)
    expect(await shell('docker cp store:/it - | tar -xO | sha256sum')).toBe(`${sum}  -`)
    await docker('rm', '-f', 'store')
    const lines = 200_000
    await docker('run', '--name', 'talker', 'busybox', 'sh', '-c', `seq ${lines} | tee /dev/stderr > /dev/null`)
    expect(await shell('docker logs talker 2>&1 >/dev/null | md5sum')).toBe(
      `${createHash('md5')
        .update(Array.from({ length: lines }, (_, index) => `${index + 1}\n`).join(''))
        .digest('hex')}  -`,
    )
    await docker('rm', 'talker')
  })

  it('passes signals on, and lives on when clients are killed', async () => {
    const trap = 'trap "echo caught; exit 9" INT; echo waiting; while :; do sleep 0.1; done'
    const client = await speaking(['run', '--name', 'caller', 'busybox', 'sh', '-c', trap])
    client.kill('SIGINT')
    expect((await once(client, 'exit'))[0]).toBe(9)
    const killed = await speaking(['run', '--name', 'orphan', 'busybox', 'sh', '-c', trap])
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    // Its words may be there before its start is through, which goes on without whoever asked for it.
    await expect.poll(() => docker('inspect', '-f', '{{.State.Running}}', 'orphan')).toBe('true')
    await docker('kill', '-s', 'INT', 'orphan')
    expect(await docker('wait', 'orphan')).toBe('9')
    expect(await docker('logs', 'orphan')).toBe('waiting\ncaught')
    await docker('rm', 'caller', 'orphan')
  })

  it('leaves nothing behind', async () => {
    await docker('network', 'create', 'passing')
    await docker('run', '-d', '--name', 'passing', '--network', 'passing', '-p', '8083:80', 'busybox', 'top')
    expect((await machine()).links).not.toEqual(before.links)
    await docker('rm', '-f', 'passing')
    await docker('network', 'rm', 'passing')
    expect(await machine()).toEqual(before)
  })
})
