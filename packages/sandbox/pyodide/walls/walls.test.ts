// The walls behind the wall: what an attacker could do who got out of Python. Each attack is tried without the walls too,
// where it succeeds: a check that holds without them would prove nothing.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo, Server } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { programFiles, readableFiles } from '../child-files.ts'
import { PythonProcess } from '../python-process.ts'
import type { Targets } from '../testing/escaped-attacker.ts'
import { buildWalls, type Plan } from './built-walls.ts'
import { findIsolation } from './find-isolation.ts'
import type { Isolation } from './isolation.ts'
import { plainWalls } from './plain-walls.ts'
import { missingWalls } from './wall.ts'

vi.setConfig({ testTimeout: 60_000 })

const pathOf = (name: string): string => fileURLToPath(new URL(`../testing/${name}`, import.meta.url))
const visible = [...programFiles(), ...readableFiles(undefined)]
const resources = { dataBytes: 2 ** 31, cpuSeconds: 60, openFiles: 64, stackKilobytes: 8_192 }
const noWalls = [...plainWalls(false)].at(-1)!
const isRoot = process.getuid?.() === 0
/** An ordinary user: this one, or one that root becomes for the test. */
const ordinary = isRoot ? 12_345 : process.getuid!()

const folder = mkdtempSync(join(tmpdir(), 'atoll-walls-'))
const secret = join(folder, 'secret')
let listener: Server
let targets: Targets

beforeAll(async () => {
  writeFileSync(secret, 'of the user', { mode: 0o600 })
  if (isRoot) chownSync(secret, ordinary, ordinary)
  chmodSync(folder, 0o777)
  listener = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  targets = { secret, port, server: process.pid, writable: join(folder, 'written') }
})
afterAll(() => {
  listener.close()
  rmSync(folder, { recursive: true })
})

async function run(isolation: Isolation, command: string[], { asRoot = false, env = {}, limits = resources } = {}) {
  const [program = '', ...args] = isolation.wrap(command, limits, visible)
  const user = isRoot && !asRoot ? { uid: ordinary, gid: ordinary } : {}
  const child = spawn(program, args, { ...user, cwd: '/', env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { out, error, code: child.exitCode }
}

async function attackFrom(isolation: Isolation, asRoot = false): Promise<Record<string, string>> {
  const server = asRoot || !isRoot ? targets.server : ordinaryServer
  const command = [process.execPath, '--no-warnings', pathOf('escaped-attacker.ts')]
  const { out, error } = await run(isolation, [...command, JSON.stringify({ ...targets, server })], { asRoot })
  expect(error).toBe('')
  return JSON.parse(out)
}

/** A process of the same user, for whoever would kill it or look into it. */
let ordinaryServer = process.pid
beforeAll(() => {
  const sleeper = spawn('/bin/sleep', ['600'], isRoot ? { uid: ordinary, gid: ordinary } : {})
  ordinaryServer = sleeper.pid!
  return () => void sleeper.kill('SIGKILL')
})

const everything: Plan = { namespaces: true, files: 'mount', user: undefined, filter: true }
const whereTheresNoNamespace: Plan = { namespaces: false, files: 'landlock', user: undefined, filter: true }
const built = (plan: Plan, asRoot = false): Isolation => buildWalls(plan, asRoot)!
const succeeds = expect.stringMatching(/^got$/)
const isStopped = expect.stringMatching(/^(E[A-Z]+|RangeError)$/)
const names = [
  'a secret of its user',
  'the password file',
  'the list of processes',
  "the server's memory map",
  'a folder to write to',
  'a port of the machine',
  'a port of its own',
  'a socket by name',
  'a signal to the server',
  'a process',
]
const each = (value: unknown): Record<string, unknown> => Object.fromEntries(names.map((name) => [name, value]))
const all = { ...each(isStopped), 'its own code': isStopped, 'more memory than it may take': isStopped }

describe('an attacker who got out of Python and past Node', () => {
  it('would get all of this without walls', async () => {
    expect(await attackFrom(noWalls)).toMatchObject({ ...each(succeeds), 'more memory than it may take': isStopped })
  })

  it('gets nothing as an ordinary user', async () => {
    expect(await attackFrom(built(everything))).toMatchObject({ ...all, 'a secret of its user': 'ENOENT' })
  })

  it('gets nothing as an ordinary user of a machine without namespaces', async () => {
    expect(await attackFrom(built(whereTheresNoNamespace))).toMatchObject({ ...all, 'a secret of its user': 'EACCES' })
  })

  it.runIf(isRoot)('gets nothing when root started it', async () => {
    for (const plan of [everything, whereTheresNoNamespace]) {
      expect(await attackFrom(built({ ...plan, user: 65_534 }, true), true)).toMatchObject(all)
      expect(await attackFrom(built(plan, true), true)).toMatchObject(all)
    }
  })

  it('finds no thread left when it starts many', async () => {
    const many = ['-e', 'fs.stat("/", () => console.log("all there"))']
    const options = { env: { UV_THREADPOOL_SIZE: '300' }, limits: { ...resources, dataBytes: 2 ** 38 } }
    expect((await run(noWalls, [process.execPath, ...many], options)).out).toBe('all there\n')
    expect((await run(built(everything), [process.execPath, ...many], options)).out).toBe('')
  })
})

/** By name: the numbers on x64 and arm64, and arguments that succeed where nobody forbids it, or fail in another way. */
const systemCalls: [name: string, x64: number, arm64: number, ...args: (number | string)[]][] = [
  ['socket', 41, 198, 2, 1, 0],
  ['socketpair', 53, 199, 1, 1, 0, "''"],
  ['ptrace', 101, 117, 16, 999_999_999, 0, 0],
  ['process_vm_readv', 310, 270, 1, "''", 1, "''", 1, 0],
  ['pidfd_open', 434, 434, 1, 0],
  ['unshare', 272, 97, 0x10000000],
  ['setns', 308, 268, 0, 0],
  ['mount', 165, 40, "'none'", "'/'", 0, 0x40000, 0],
  ['chroot', 161, 51, "'/'"],
  ['keyctl', 250, 219, 0, -3, 0],
  ['bpf', 321, 280, 0, "''", 0],
  ['perf_event_open', 298, 241, "''", 0, -1, -1, 0],
  ['userfaultfd', 323, 282, 1],
  ['io_uring_setup', 425, 425, 1, "''"],
  ['memfd_create', 319, 279, "'x'", 0],
  ['init_module', 175, 105, "''", 0, "''"],
  ['kexec_load', 246, 104, 0, 0, 0, 0],
  ['open_by_handle_at', 304, 265, 0, "''", 0],
  ['execveat', 322, 281, 0, "''", 0, 0, 0],
  ['kill', 62, 129, 1, 0],
  ['fork', 56, 220, 17, 0, 0, 0, 0],
  ['clone3', 435, 435, "''", 0],
  ['shmget', 29, 194, 0, 4096, 0x380],
  ['sched_setaffinity', 203, 122, 0, 8, "''"],
  ['mmap, shared', 9, 222, 0, 4096, 3, 0x21, -1, 0],
  ['prctl, to outlive the server', 157, 167, 1, 0, 0, 0, 0],
  ['fcntl, to signal another', 72, 25, 0, 8, 1],
  ['ioctl, to type into a terminal', 16, 29, 0, 0x5412, "''"],
  ['prlimit64, of another', 302, 261, 1, 7, 0, "''"],
  ['clone, with a namespace', 56, 220, 0x10000011, 0, 0, 0, 0],
]

describe('native code', () => {
  const perl = '/usr/bin/perl'
  const asked = systemCalls.map(([name, x64, arm64, ...args]) =>
    [name, process.arch === 'x64' ? x64 : arm64, ...args].join(':'),
  )
  const answers = async (isolation: Isolation): Promise<string[]> =>
    (await run(isolation, [perl, pathOf('native-attacker.pl'), ...asked])).out.trim().split('\n')

  it('makes no system call that it has no use for', async () => {
    const filtered = await answers(built({ namespaces: false, files: 'open', user: undefined, filter: true }))
    const refusal = / (1|38)$/
    expect(filtered).toHaveLength(systemCalls.length)
    expect(filtered.filter((line) => !refusal.test(line))).toEqual([])
    // Without the filter the kernel refuses only what takes rights.
    const free = await answers(noWalls)
    expect(free.filter((line) => !refusal.test(line)).length).toBeGreaterThan(systemCalls.length / 2)
  })
})

describe('an intruder in a Python process', () => {
  const nothingToBeHad = {
    eval: 'EvalError',
    Function: 'EvalError',
    import: 'Error',
    fetch: 'undefined',
    WebSocket: 'undefined',
    globals: 'versions,stdin,exitCode,umask,getuid',
    read: 'ERR_ACCESS_DENIED',
    list: 'ERR_ACCESS_DENIED',
    write: 'ERR_ACCESS_DENIED',
    spawn: 'ERR_ACCESS_DENIED',
    Worker: 'ERR_ACCESS_DENIED',
    addon: expect.stringMatching(/^ERR_/),
    binding: 'ERR_ACCESS_DENIED',
  }

  async function intrude(isolation: Isolation): Promise<Record<string, string>> {
    const intruder = new PythonProcess({
      isolation,
      resources,
      memoryMegabytes: 64,
      readable: readableFiles(undefined),
      entry: pathOf('intruder-child.ts'),
      settings: targets.port as never,
      snapshot: undefined,
      maxReplyBytes: 100_000,
    })
    const { promise, resolve } = Promise.withResolvers<string>()
    intruder.listen(({ bytes }) => resolve(Buffer.from(bytes).toString()))
    void intruder.ended.then(() => resolve(JSON.stringify({ died: intruder.complaint })))
    const found = JSON.parse(await promise)
    await intruder.ended
    return found
  }

  it('finds nothing to be had in Node, even without the help of the system', async () => {
    // The shell that sets the limits adds PWD.
    expect(await intrude(noWalls)).toMatchObject({ ...nothingToBeHad, environment: 'PWD,TZ' })
  })

  it('finds no network, no other process and no rights where the system helps', async (context) => {
    const isolation = await findIsolation(visible)
    const missing = missingWalls(isolation.walls)
    if (missing.length > 0) context.skip(`this machine has no wall against ${missing.join(', ')}`)
    const found = await intrude(isolation)
    const refused = expect.stringMatching(/^E(NOSYS|NETUNREACH|ACCES)$/)
    expect(found).toMatchObject({ ...nothingToBeHad, environment: 'TZ', connect: refused, parent: '0', user: '65534' })
  })
})

describe('the walls of a machine', () => {
  it('are all there where the kernel has them', async () => {
    const wanted = [...plainWalls(false)]
    expect(missingWalls(built(everything).walls)).toEqual([])
    expect((await findIsolation(visible, [built(everything), ...wanted])).walls).toEqual(built(everything).walls)
  })

  it('are as many as work, and it is said which are missing', async () => {
    const nothing = await findIsolation(['/no/such/file'])
    expect(missingWalls(nothing.walls)).toHaveLength(5)
    const { walls } = await findIsolation(visible, plainWalls(isRoot))
    expect(missingWalls(walls)).toEqual([
      expect.stringMatching(/^the machine's files \(it needs/),
      expect.stringMatching(/^system calls/),
    ])
  })

  it('leave a file as it is that is shown beside its folder', async () => {
    const shown = join(folder, 'shown')
    writeFileSync(shown, 'as it was', { mode: 0o644 })
    const { walls } = await findIsolation([...programFiles(), folder, shown], [built(everything), noWalls])
    expect(walls).toEqual(built(everything).walls)
    expect(readFileSync(shown, 'utf8')).toBe('as it was')
  })
})
