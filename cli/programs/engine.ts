// What the engine needs of the machine: root, and Debian's packages. Installed where that is allowed, told otherwise.
import { existsSync } from 'node:fs'
import { aptInstall, whyNotInstall } from './apt.ts'
import { MissingPrograms } from './missing.ts'
import { findProgram } from './search.ts'

interface Need {
  package: string
  isThere(): boolean
}

const program = (name: string, pack = name): Need => ({ package: pack, isThere: () => findProgram(name) !== undefined })
const header = (name: string, pack: string): Need => ({
  package: pack,
  isThere: () => [`/usr/include/${name}`, `/usr/local/include/${name}`].some((path) => existsSync(path)),
})

const needs: Need[] = [
  { package: 'crun', isThere: () => ['crun', 'runc'].some((name) => findProgram(name) !== undefined) },
  program('ip', 'iproute2'),
  program('nft', 'nftables'),
  program('nsenter', 'util-linux'),
  program('ps', 'procps'),
  program('cc', 'gcc'),
  header('stdlib.h', 'libc6-dev'),
  header('archive.h', 'libarchive-dev'),
  header('openssl/sha.h', 'libssl-dev'),
  header('zlib.h', 'zlib1g-dev'),
]

const forTests: Need[] = [
  program('crun'),
  program('runc'),
  program('busybox', 'busybox-static'),
  program('docker', 'docker.io'),
  program('etcd', 'etcd-server'),
  program('wg', 'wireguard-tools'),
  program('wireguard-go'),
  program('docker-compose'),
  program('docker-registry'),
  program('tini-static', 'tini'),
  program('htpasswd', 'apache2-utils'),
  program('setfattr', 'attr'),
  program('bzip2'),
  program('xz', 'xz-utils'),
  program('curl'),
]

const isRoot = (): boolean => process.getuid?.() === 0
const missing = (wanted: readonly Need[]): string[] =>
  wanted.filter(({ isThere }) => !isThere()).map(({ package: name }) => name)

/** Debian's packages. */
export const missingForEngine = (): string[] => missing(needs)

/** Throws with what to do. */
export function requireEnginePrograms(): void {
  if (!isRoot()) throw new MissingPrograms('The container engine needs root: start it with sudo.')
  const lacking = missing(needs)
  if (lacking.length > 0 && !install(lacking)) {
    throw new MissingPrograms(
      `The container engine needs programs this machine lacks: apt-get install ${lacking.join(' ')}`,
    )
  }
}

/** The same, with what tests need besides. */
export const missingForEngineTests = (): string[] => [...new Set(missing([...needs, ...forTests]))]

/** For the tests; what stays missing skips the tests that need it. */
export function prepareEnginePrograms(mayInstall: boolean): void {
  const lacking = missingForEngineTests()
  if (lacking.length > 0 && mayInstall && isRoot()) install(lacking)
}

function install(packages: readonly string[]): boolean {
  if (whyNotInstall(true) !== undefined) return false
  process.stderr.write(`atoll: installing ${packages.join(' ')} …\n`)
  return aptInstall(packages)
}
