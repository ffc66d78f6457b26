// The launcher on a small tree of its own, with the real npm, and on this checkout.
import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from './places.ts'

const scratch = mkdtempSync(join(tmpdir(), 'atoll-launcher-'))
const tree = join(scratch, 'a tree')
const shims = join(scratch, 'shims')
const npmLog = join(scratch, 'npm.log')
afterAll(() => rmSync(scratch, { recursive: true }))

interface Run {
  code: number | null
  pid: number | undefined
  out: string
  err: string
}

interface RunOptions {
  args?: string[]
  cwd?: string
  env?: NodeJS.ProcessEnv
  uid?: number
}

function run(command: string, { args = [], cwd = '/', env = {}, uid }: RunOptions = {}): Promise<Run> {
  const path = [shims, dirname(process.execPath), process.env.PATH].join(delimiter)
  const user = uid === undefined ? {} : { uid, gid: uid }
  const child = spawn(command, args, { cwd, env: { ...process.env, PATH: path, ...env }, ...user })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (err += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, pid: child.pid, out, err }))
  })
}

const npmRuns = () => readFileSync(npmLog, 'utf8').split('\n').length - 1
const atoll = join(tree, 'atoll')

/** A checkout in small: one package to install, from a file; a program that says who and where it is. */
beforeAll(async () => {
  for (const name of ['cli', 'packages', 'services']) mkdirSync(join(tree, name), { recursive: true })
  mkdirSync(join(scratch, 'dep'))
  mkdirSync(shims)
  chmodSync(scratch, 0o755)
  writeFileSync(npmLog, '')
  const npm = (await run('/bin/sh', { args: ['-c', 'command -v npm'] })).out.trim()
  writeFileSync(join(shims, 'npm'), `#!/bin/sh\necho run >> '${npmLog}'\nexec '${npm}' "$@"\n`, { mode: 0o755 })
  writeFileSync(join(scratch, 'dep', 'package.json'), '{"name":"dep","version":"1.0.0"}')
  await run(npm, { args: ['pack', '--pack-destination', tree], cwd: join(scratch, 'dep') })
  const manifest = { name: 'tree', private: true, type: 'module', dependencies: { dep: 'file:dep-1.0.0.tgz' } }
  writeFileSync(join(tree, 'package.json'), JSON.stringify(manifest))
  await run(npm, { args: ['install', '--package-lock-only'], cwd: tree })
  cpSync(join(root, 'atoll'), atoll)
  cpSync(join(root, 'bin'), join(tree, 'bin'), { recursive: true })
  writeFileSync(
    join(tree, 'cli', 'main.ts'),
    'export const main = () => console.log(process.pid, process.cwd(), JSON.stringify(process.argv.slice(2)))\n',
  )
}, 120_000)

describe('the launcher', () => {
  it('installs once when two start together, leaves the lock file as it is, and then runs', async () => {
    const lock = readFileSync(join(tree, 'package-lock.json'), 'utf8')
    const runs = await Promise.all([run(atoll, { args: ['up', 'a b'] }), run(atoll, { args: ['up', 'a b'] })])
    for (const { code, pid, out, err } of runs)
      expect({ code, out }, err).toEqual({ code: 0, out: `${pid} / ["up","a b"]\n` })
    expect(npmRuns()).toBe(1)
    expect(readFileSync(join(tree, 'package-lock.json'), 'utf8')).toBe(lock)
    expect(readFileSync(join(tree, 'node_modules', 'dep', 'package.json'), 'utf8')).toContain('1.0.0')
  })

  it('becomes the program itself: same process, through links, from any folder', async () => {
    mkdirSync(join(tree, 'node_modules', '.bin'))
    symlinkSync(process.execPath, join(tree, 'node_modules', '.bin', 'node'))
    // The first start with it verifies and leaves the stamp.
    expect((await run(atoll)).code).toBe(0)
    mkdirSync(join(scratch, 'bin'))
    symlinkSync('../a tree/atoll', join(scratch, 'bin', 'first'))
    symlinkSync(join(scratch, 'bin', 'first'), join(scratch, 'bin', 'second'))
    for (const [command, cwd] of [
      [join(scratch, 'bin', 'second'), scratch],
      ['./atoll', tree],
      ['./second', join(scratch, 'bin')],
    ] as const) {
      const { code, pid, out, err } = await run(command, { cwd, args: ['version'] })
      expect({ code, out, err }).toEqual({ code: 0, out: `${pid} ${cwd} ["version"]\n`, err: '' })
    }
    expect(npmRuns()).toBe(1)
  })

  it('looks again when the lock file is newer, and installs only what is missing', async () => {
    const soon = new Date(Date.now() + 5_000)
    utimesSync(join(tree, 'package-lock.json'), soon, soon)
    expect((await run(atoll)).code).toBe(0)
    expect(npmRuns()).toBe(1)
    rmSync(join(tree, 'node_modules', 'dep'), { recursive: true })
    expect((await run(atoll)).code).toBe(0)
    expect(npmRuns()).toBe(2)
    expect(readFileSync(join(tree, 'node_modules', 'dep', 'package.json'), 'utf8')).toContain('1.0.0')
  })

  it('runs a prepared checkout that its user cannot write to', async () => {
    rmSync(join(tree, 'node_modules', '.atoll-ready'))
    const other = process.getuid?.() === 0 ? { uid: 65_534 } : {}
    if (!other.uid) chmodSync(join(tree, 'node_modules'), 0o555)
    const { code, err } = await run(atoll, other)
    if (!other.uid) chmodSync(join(tree, 'node_modules'), 0o755)
    expect({ code, err }).toEqual({ code: 0, err: '' })
  })

  it('begins anew after an installation that was cut off, and trusts none of what that left', async () => {
    const [modules, left] = [join(tree, 'node_modules'), join(tree, 'node_modules', 'dep', 'half-written')]
    for (const name of ['.package-lock.json', '.atoll-ready']) rmSync(join(modules, name), { force: true })
    writeFileSync(join(modules, '.atoll-installing'), '')
    writeFileSync(left, '')
    expect((await run(atoll)).code).toBe(0)
    expect(existsSync(left)).toBe(false)
    expect(existsSync(join(modules, '.atoll-installing'))).toBe(false)
  })

  it('installs what tests and benchmarks need for them alone, not for their help and lists', async () => {
    const before = ['package.json', 'package-lock.json'].map((name) => readFileSync(join(tree, name), 'utf8'))
    const [manifest, lock] = before.map((text) => JSON.parse(text))
    const devDependencies = { absent: '1.0.0' }
    lock.packages['node_modules/absent'] = { version: '1.0.0', resolved: 'http://127.0.0.1:9/a.tgz', dev: true }
    lock.packages[''].devDependencies = devDependencies
    writeFileSync(join(tree, 'package.json'), JSON.stringify({ ...manifest, devDependencies }))
    writeFileSync(join(tree, 'package-lock.json'), JSON.stringify(lock))
    const installs = npmRuns()
    for (const args of [['bench'], ['bench', '--help'], ['test', '--help'], ['bench', 'http', '-h']]) {
      expect(await run(atoll, { args })).toMatchObject({ code: 0, err: '' })
    }
    expect(npmRuns()).toBe(installs)
    const env = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' }
    expect(await run(atoll, { args: ['bench', 'http'], env })).toMatchObject({ code: 1 })
    expect(npmRuns()).toBe(installs + 1)
    for (const [at, name] of ['package.json', 'package-lock.json'].entries()) {
      writeFileSync(join(tree, name), before[at] ?? '')
    }
  })

  it('says what to do without npm, without a network, and with a Node that is too old', async () => {
    rmSync(join(tree, 'node_modules'), { recursive: true })
    const bare = join(scratch, 'bare')
    mkdirSync(bare)
    for (const tool of ['sh', 'readlink']) symlinkSync(`/bin/${tool}`, join(bare, tool))
    const noNode = await run(atoll, { env: { PATH: bare } })
    expect(noNode).toMatchObject({ code: 1, out: '', err: expect.stringContaining('Node is not installed') })
    symlinkSync(process.execPath, join(bare, 'node'))
    const noNpm = await run(atoll, { env: { PATH: bare } })
    expect(noNpm).toMatchObject({ code: 1, out: '', err: expect.stringContaining('npm is not installed') })
    rmSync(join(bare, 'node'))
    writeFileSync(join(bare, 'node'), '#!/bin/sh\n[ "$1" = --version ] && echo v16.0.0\nexit 1\n', { mode: 0o755 })
    const oldNode = await run(atoll, { env: { PATH: bare } })
    expect(oldNode).toMatchObject({ code: 1, out: '', err: expect.stringContaining('Node v16.0.0 is too old') })
  })

  it('says so when the registry cannot be reached', async () => {
    const lock = JSON.parse(readFileSync(join(tree, 'package-lock.json'), 'utf8'))
    lock.packages['node_modules/absent'] = { version: '1.0.0', resolved: 'http://127.0.0.1:9/absent-1.0.0.tgz' }
    lock.packages[''].dependencies.absent = '1.0.0'
    const manifest = { name: 'tree', private: true, type: 'module', dependencies: lock.packages[''].dependencies }
    writeFileSync(join(tree, 'package.json'), JSON.stringify(manifest))
    writeFileSync(join(tree, 'package-lock.json'), JSON.stringify(lock))
    const env = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' }
    const { code, out, err } = await run(atoll, { env })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain('the npm registry cannot be reached')
  })
})

describe('./atoll of this checkout', () => {
  it('shows help from another folder, through a link', async () => {
    symlinkSync(join(root, 'atoll'), join(scratch, 'linked'))
    const { code, out } = await run('./linked', { cwd: scratch, args: ['--help'] })
    expect(code).toBe(0)
    expect(out).toContain('Usage: atoll <command>')
  })

  it('names the nearest command for an unknown one', async () => {
    const { code, err } = await run(join(root, 'atoll'), { args: ['docter'] })
    expect({ code, err }).toEqual({ code: 1, err: 'atoll: there is no command docter; did you mean doctor?\n' })
  })
})
