// What the cluster needs of the machine: a Redis server; for the tests a Valkey too, and a compiler for their modules.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aptInstall, stopService, whyNotInstall } from './apt.ts'
import { MissingPrograms } from './missing.ts'
import { findProgram } from './search.ts'

/** Either will do. */
const servers = ['redis-server', 'valkey-server']

/** A module as others write them, for the tests. */
const searchPackage = 'redis-redisearch'
const searchModule = '/usr/lib/redis/modules/redisearch.so'

/** Throws with what to do. Paths of the configuration count as found. */
export function requireClusterPrograms(configured: readonly (string | undefined)[] = []): void {
  const isThere = (): boolean => servers.some((name) => findProgram(name) !== undefined)
  if (configured.some((path) => path !== undefined) || isThere()) return
  if (whyNotInstall(true) === undefined && install(['redis-server']) && isThere()) return
  throw new MissingPrograms('The cluster needs a Redis server, which this machine lacks: apt-get install redis-server')
}

/** For the tests; what stays missing skips the tests that need it. */
export function prepareClusterPrograms(mayInstall: boolean): void {
  if (whyNotInstall(mayInstall) !== undefined) return
  const lacking = missingForCluster()
  if (lacking.length > 0) install(lacking)
  if (findProgram('valkey-server') === undefined) installValkey()
  if (!existsSync(searchModule) && isKnown(searchPackage)) install([searchPackage])
}

/** Debian's packages, of those that it surely has. */
export function missingForCluster(): string[] {
  const needs: [program: string, pack: string][] = [
    ['redis-server', 'redis-server'],
    ['redis-benchmark', 'redis-tools'],
    ['cc', 'gcc'],
  ]
  const lacking = needs.filter(([program]) => findProgram(program) === undefined).map(([, pack]) => pack)
  return existsSync('/usr/include/stdlib.h') ? lacking : [...lacking, 'libc6-dev']
}

/** Debian 12 has it among the backports: where apt does not know those, it is told of them for this once. */
function installValkey(): void {
  if (isKnown('valkey-server')) {
    install(['valkey-server'])
    return
  }
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : ''
  const mirror = mirrorOf('bookworm')
  if (!/^VERSION_CODENAME=bookworm$/m.test(release) || mirror === undefined) return
  const folder = mkdtempSync(join(tmpdir(), 'atoll-backports-'))
  try {
    const [list, lists] = [join(folder, 'sources.list'), join(folder, 'lists')]
    mkdirSync(join(lists, 'partial'), { recursive: true })
    writeFileSync(list, `deb ${mirror} bookworm-backports main\n`)
    install(
      ['valkey-server'],
      [
        `Dir::Etc::SourceList=${list}`,
        'Dir::Etc::SourceParts=-',
        `Dir::State::Lists=${lists}`,
        'APT::Sandbox::User=root',
      ],
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Where this machine gets its packages from. */
function mirrorOf(release: string): string | undefined {
  const { stdout } = spawnSync('apt-get', ['indextargets', '--format', '$(REPO_URI) $(RELEASE)'], { encoding: 'utf8' })
  const lines = (stdout ?? '').split('\n').map((line) => line.split(' '))
  return lines.find(([, name]) => name === release)?.[0]
}

function isKnown(name: string): boolean {
  const { stdout } = spawnSync('apt-cache', ['policy', name], { encoding: 'utf8' })
  return /Candidate: \d/.test(stdout ?? '')
}

function install(packages: readonly string[], settings: readonly string[] = []): boolean {
  process.stderr.write(`atoll: installing ${packages.join(' ')} …\n`)
  const isDone = aptInstall(packages, settings)
  for (const name of packages.filter((each) => servers.includes(each))) stopService(name)
  return isDone
}
