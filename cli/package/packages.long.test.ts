// The packages that ./atoll package makes, installed by the real npm and dpkg and used without the checkout.
// Transcripts are kept in reports/packages-{npm,npx,deb}.txt, and packages-deb-bare.txt where there is debootstrap.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProgram } from '../programs/search.ts'
import { version } from '../version.ts'
import { makeDebianPackage } from './deb/deb-package.ts'
import { makeNpmPackage } from './npm-package.ts'
import { expectChat, type InstalledAtoll, runInstalled, startInstalled } from './testing/installed-atoll.ts'
import { PackageTranscript } from './testing/package-transcript.ts'

const slowMs = 300_000
let folder: string
let tarball: string
let modules: string
let atoll: InstalledAtoll

const transcripts = {
  npm: new PackageTranscript('packages-npm.txt'),
  npx: new PackageTranscript('packages-npx.txt'),
  deb: new PackageTranscript('packages-deb.txt'),
  bareDeb: new PackageTranscript('packages-deb-bare.txt'),
}

/** To its end, and into the transcript. */
function run(transcript: PackageTranscript, program: string, args: string[]) {
  const ended = spawnSync(program, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
  // npm warns before it answers.
  transcript.ran([program, ...args], ended.stderr + ended.stdout, ended.status)
  return ended
}

const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund']

beforeAll(async () => {
  folder = await tempDir()
  tarball = makeNpmPackage(folder)
  transcripts.npm.title('npm install -g')
  const asked = ['install', '-g', '--prefix', join(folder, 'prefix'), ...flags, tarball]
  const { status, stderr } = run(transcripts.npm, 'npm', asked)
  expect(status, stderr).toBe(0)
  modules = join(folder, 'prefix/lib/node_modules/atoll')
  const home = join(folder, 'home')
  mkdirSync(home)
  const env = { HOME: home, PATH: '/usr/bin:/bin' }
  atoll = { command: [join(folder, 'prefix/bin/atoll')], env, transcript: transcripts.npm }
}, slowMs)

afterAll(() => {
  for (const transcript of Object.values(transcripts)) transcript.write()
})

describe('Atoll installed by npm', () => {
  it('is named after its version, and says it', () => {
    expect(tarball).toBe(join(folder, `atoll-${version()}.tgz`))
    expect(runInstalled(atoll, ['--version'])).toEqual({ code: 0, out: `${version()}\n`, err: '' })
  })

  it('has JavaScript alone, and every module that one of its modules names', () => {
    expect(globSync('{bin,cli,packages,services}/**/*.{ts,tsx}', { cwd: modules })).toEqual([])
    const files = globSync('{bin,cli,packages,services}/**/*.js', { cwd: modules })
    expect(files.length).toBeGreaterThan(1_000)
    const missing = files.flatMap((file) => {
      const code = readFileSync(join(modules, file), 'utf8')
      expect(code, file).not.toMatch(/(from|import\() ?'@atoll\//)
      const named = [...code.matchAll(/(?:from|import\(|new URL\() ?'(\.{1,2}\/[^']+)'/g)].map(([, path = '']) => path)
      return named.filter((path) => !existsSync(join(modules, dirname(file), path))).map((path) => `${file}: ${path}`)
    })
    // Commands of a checkout, which a package does not offer.
    expect(missing.sort()).toEqual([
      'cli/chaos/commands.js: ./chaos.js',
      'cli/package/commands.js: ./deb/deb-package.js',
      'cli/package/commands.js: ./npm-package.js',
      'cli/program.js: ./bench.js',
      'cli/program.js: ./test/test.js',
    ])
    expect(runInstalled(atoll, ['test'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('there is no command test'),
    })
  })

  it('looks at the machine, and names its commands as one who installed it gives them', () => {
    const { code, out } = runInstalled(atoll, ['doctor'])
    expect(code, out).toBe(0)
    expect(out).toContain('started by atoll up')
    expect(runInstalled(atoll, ['--help']).out).not.toContain('./atoll')
  })

  it(
    'starts, keeps its data in the folder of its user, chats, shows the console, and stops',
    async () => {
      const server = startInstalled(atoll)
      try {
        expect(existsSync(join(folder, 'home/.local/share/atoll/atoll.db'))).toBe(true)
        await expectChat(atoll, server)
        const page = await (await fetch(new URL('/console/', server.url))).text()
        const [script = ''] = /\/console\/assets\/main-[\w-]+\.js/.exec(page) ?? []
        const { status } = await fetch(new URL(script, server.url))
        transcripts.npm.ran(['GET', new URL(script, server.url).href], `${status}`)
        expect(status).toBe(200)
      } finally {
        expect(runInstalled(atoll, ['stop'])).toMatchObject({ code: 0 })
      }
    },
    slowMs,
  )

  it(
    'runs by npx',
    () => {
      // What npx is short for.
      const asked = ['exec', '--yes', ...flags, '--package', tarball, '--', 'atoll', '--version']
      const { status, stdout, stderr } = run(transcripts.npx, 'npm', asked)
      expect({ status, stdout }, stderr).toEqual({ status: 0, stdout: `${version()}\n` })
    },
    slowMs,
  )
})

const lacksForDebian = (): string | undefined => {
  if (process.getuid?.() !== 0) return 'it needs root'
  const programs = ['dpkg', 'dpkg-deb', 'adduser', 'deb-systemd-helper', 'unshare', 'setpriv', 'ip', 'curl']
  const lacking = programs.filter((name) => findProgram(name) === undefined)
  if (lacking.length > 0) return `there is no ${lacking.join(', no ')}`
  const mount =
    'd=$(mktemp -d) && mount -t tmpfs t $d && mkdir $d/a $d/b $d/c && mount -t overlay o -o lowerdir=/,upperdir=$d/a,workdir=$d/b $d/c'
  const { status } = spawnSync('unshare', ['--mount', '--net', '--pid', '--fork', 'sh', '-c', mount])
  return status === 0 ? undefined : 'this kernel lets nobody mount an overlay here'
}

/** Their names alone. */
const dependenciesOf = (path: string): string =>
  spawnSync('dpkg-deb', ['--field', path, 'Depends'], { encoding: 'utf8' })
    .stdout.trim()
    .replaceAll(/ \([^)]*\)| /g, '')

/** Installed, used and purged by testing/debian-smoke.sh, on a copy of this system or of the one in `base`. */
async function expectSmoke(transcript: PackageTranscript, path: string, ...base: string[]): Promise<void> {
  transcript.title('on a copy of a system, without a network')
  const script = join(import.meta.dirname, 'testing', 'debian-smoke.sh')
  const namespaces = ['--mount', '--net', '--pid', '--fork', '--kill-child']
  const asked = [...namespaces, script, path, await tempDir(), ...base]
  const { status, stdout, stderr } = run(transcript, 'unshare', asked)
  expect(status, `${stdout}\n${stderr}`).toBe(0)
  expect(stdout).toContain('== done')
}

const suite = (): string => /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'stable'

const lacks = lacksForDebian()
describe.skipIf(lacks !== undefined)(
  `Atoll installed by dpkg${lacks === undefined ? '' : `, skipped: ${lacks}`}`,
  () => {
    it(
      'gets a user, starts by its unit, chats without a network, and is removed and purged',
      async () => {
        const path = makeDebianPackage(folder, { compression: 'none', modules: join(modules, 'node_modules') })
        await expectSmoke(transcripts.deb, path)
      },
      slowMs,
    )

    const hasDebootstrap = findProgram('debootstrap') !== undefined
    it.skipIf(!hasDebootstrap)(
      'does so on a bare Debian that has nothing but what it depends on',
      async () => {
        const path = makeDebianPackage(folder, { compression: 'none', modules: join(modules, 'node_modules') })
        const base = await tempDir()
        const bare = spawnSync('debootstrap', ['--variant=minbase', `--include=${dependenciesOf(path)}`, suite(), base])
        expect(bare.status, `${bare.stdout}\n${bare.stderr}`).toBe(0)
        await expectSmoke(transcripts.bareDeb, path, base)
      },
      slowMs * 2,
    )

    it(
      'is made for the other architecture too, with its programs',
      () => {
        const [arch, machine] = process.arch === 'x64' ? ['arm64', 'aarch64'] : ['amd64', 'x86-64']
        const path = makeDebianPackage(folder, { arch, compression: 'none' })
        const listed = spawnSync('dpkg-deb', ['--fsys-tarfile', path], { maxBuffer: 2 ** 31 })
        const cpu = arch === 'amd64' ? 'x64' : 'arm64'
        const node = spawnSync('tar', ['-xO', `./usr/lib/atoll/node_modules/node-linux-${cpu}/bin/node`], {
          ...{ input: listed.stdout, maxBuffer: 2 ** 30 },
        }).stdout
        const { stdout: kind } = spawnSync('file', ['-'], { input: node, encoding: 'utf8' })
        transcripts.deb.title('for the other architecture')
        run(transcripts.deb, 'dpkg-deb', ['--field', path, 'Package', 'Version', 'Architecture', 'Installed-Size'])
        transcripts.deb.ran(['file', `node_modules/node-linux-${cpu}/bin/node`], kind)
        expect(kind).toContain(machine)
      },
      slowMs,
    )
  },
)
