// Other programs that Atoll is compared with. Installed when a benchmark runs, into a folder of its own that is gone
// afterwards: they are no part of Atoll.
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const installTimeoutMs = 300_000
const installed = new Map<string, Promise<string>>()

interface PeerOptions {
  /** Packages that must be there too, with their versions. */
  with?: Readonly<Record<string, string>>
}

/** Resolves with the folder that holds its `node_modules`. Scripts of packages are not run. */
export function installPeer(name: string, version: string, { with: more = {} }: PeerOptions = {}): Promise<string> {
  const key = `${name}@${version}`
  const known = installed.get(key)
  if (known) return known
  const folder = install({ [name]: version, ...more }, key)
  installed.set(key, folder)
  return folder
}

async function install(dependencies: Record<string, string>, key: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-peer-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }))
  console.log(`  installing ${key} to compare with …`)
  try {
    const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--omit=optional', '--loglevel=error']
    await run('npm', ['install', ...quiet], { cwd: folder, timeout: installTimeoutMs })
  } catch (error) {
    throw new Error(`${key} could not be installed by npm: ${reasonOf(error)}`, { cause: error })
  }
  return folder
}

function reasonOf(error: unknown): string {
  const { stderr = '', code, message } = error as { stderr?: string; code?: unknown; message: string }
  if (code === 'ENOENT') return 'npm was not found'
  const lines = stderr.split('\n').filter((line) => line.startsWith('npm error') && !line.includes('A complete log'))
  return lines[0]?.replace(/^npm error\s*/, '') ?? message.split('\n')[0] ?? ''
}
