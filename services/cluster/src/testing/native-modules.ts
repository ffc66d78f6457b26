// The project's own modules for tests, compiled with the machine's compiler and packed as an operator would upload them.
import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { access, mkdir, readFile, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { zipSync } from 'fflate'

const sourceFolder = join(import.meta.dirname, '../../native-modules')
const flags = ['-std=gnu11', '-O2', '-Wall', '-Wextra', '-fPIC', '-shared', '-fvisibility=hidden']

export interface NativeModule {
  name: 'tally' | 'late' | 'chime' | 'ft'
  semanticVersion: string
  /** One number: 20000 for 2.0.0. */
  version: number
  file: string
}

/** Version 2 writes another encoding than version 1, and has TALLY.MUL. */
export const buildTally = (major: 1 | 2): Promise<NativeModule> => build('tally', major, [`-DTALLY_MAJOR=${major}`])
/** Has no data, and tells its version: CHIME.RING. */
export const buildChime = (major: 1 | 2): Promise<NativeModule> => build('chime', major, [`-DCHIME_MAJOR=${major}`])
/** Needs an engine of version 7.2 or later. */
export const buildLate = (): Promise<NativeModule> => build('late', 1, [])

/** Once for each state of the source. */
async function build(name: NativeModule['name'], major: number, defines: string[]): Promise<NativeModule> {
  const source = join(sourceFolder, `${name}.c`)
  const hash = createHash('sha256').update(JSON.stringify([flags, defines]))
  for (const file of [source, join(sourceFolder, 'redis-api.h')]) hash.update(await readFile(file))
  const folder = await cacheFolder()
  const file = join(folder, `${name}-${major}-${hash.digest('hex').slice(0, 16)}.so`)
  const isBuilt = await access(file).then(
    () => true,
    () => false,
  )
  if (!isBuilt) {
    const fresh = `${file}.${randomUUID()}`
    await promisify(execFile)(process.env.CC || 'cc', [...flags, ...defines, '-o', fresh, source])
    await rename(fresh, file)
  }
  return { name, semanticVersion: `${major}.0.0`, version: major * 10_000, file }
}

async function cacheFolder(): Promise<string> {
  const make = (path: string) => mkdir(path, { recursive: true }).then(() => path)
  return make('/var/cache/atoll/test-modules').catch(() => make(join(tmpdir(), 'atoll-test-modules')))
}

export const allCapabilities = [
  ...['types', 'replica_of', 'backup_restore', 'eviction_expiry', 'failover_migrate'],
  ...['persistence_aof', 'persistence_rdb', 'hash_policy', 'intershard_tls', 'ipv6'],
]

/** A module package: a zip of `module.json` and the module. `changes` replace what the manifest says. */
export async function packModule(module: NativeModule, changes: Record<string, unknown> = {}): Promise<Buffer> {
  const bytes = await readFile(module.file)
  const manifest = {
    module_name: module.name,
    display_name: module.name,
    module_file: `${module.name}.so`,
    semantic_version: module.semanticVersion,
    version: module.version,
    author: 'Atoll',
    email: 'tests@atoll.local',
    description: 'A module for tests',
    homepage: '',
    license: 'Apache-2.0',
    architecture: { arm64: 'aarch64', x64: 'x86_64' }[process.arch as string] ?? process.arch,
    os: 'Linux',
    command_line_args: '',
    capabilities: allCapabilities,
    dependencies: {},
    min_redis_version: module.name === 'late' ? '7.2' : '6.0',
    min_redis_pack_version: '6.0',
    compatible_redis_version: '7.0',
    ramp_format_version: 1,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    ...changes,
  }
  return Buffer.from(
    zipSync({
      'module.json': Buffer.from(JSON.stringify(manifest)),
      [`${module.name}.so`]: bytes,
    }),
  )
}
