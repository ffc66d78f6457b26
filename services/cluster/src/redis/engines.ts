// The servers of this machine that shards can run on.
import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

export type EngineName = 'redis' | 'valkey'

export interface Engine {
  name: EngineName
  /** Its own: Valkey also tells clients the version of Redis that it resembles, which is another number. */
  version: string
  program: string
}

interface Programs {
  redis?: string | undefined
  valkey?: string | undefined
}

const programNames: Record<EngineName, string> = { redis: 'redis-server', valkey: 'valkey-server' }
/** Often not in the PATH of services. */
const usualFolders = ['/usr/local/bin', '/usr/bin', '/usr/local/sbin', '/usr/sbin']
const answerMs = 10_000

/** In the order of preference; empty where the machine has none. */
export async function findEngines({ programs }: { programs: Programs }): Promise<Engine[]> {
  const names: EngineName[] = ['redis', 'valkey']
  const found = await Promise.all(names.map((name) => findEngine(name, programs[name])))
  return found.filter((engine) => engine !== undefined)
}

async function findEngine(name: EngineName, configured: string | undefined): Promise<Engine | undefined> {
  const program = configured ?? findProgram(programNames[name])
  if (program === undefined) return undefined
  const run = promisify(execFile)
  const { stdout } = await run(program, ['--version'], { timeout: answerMs }).catch((error: Error) => {
    if (configured === undefined) return { stdout: '' }
    throw new Error(`The ${name} server at ${program} cannot be started: ${error.message}`)
  })
  // "Redis server v=7.0.15 sha=…", "Valkey server v=8.0.1 …"
  const [, kind = '', version] = /^(\w+) server v=(\d+\.\d+\.\d+)/.exec(stdout) ?? []
  if (version !== undefined && kind.toLowerCase() === name) return { name, version, program }
  if (configured === undefined) return undefined
  throw new Error(`${program} is no ${name} server: ${stdout.trim()}`)
}

function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...usualFolders]
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
