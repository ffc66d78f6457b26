// How the operating system holds a Python process: the strongest way that works on this machine, found by trying.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { buildWalls, plans } from './built-walls.ts'
import type { Isolation } from './isolation.ts'
import { plainWalls } from './plain-walls.ts'
import type { ResourceLimits } from './resource-limits.ts'

const run = promisify(execFile)
/** On a very busy machine. */
const probeMs = 60_000
const probeLimits: ResourceLimits = { dataBytes: 2 ** 31, cpuSeconds: 60, openFiles: 64, stackKilobytes: 8_192 }
const readAll = 'for (const path of process.argv.slice(1)) fs.accessSync(path, fs.constants.R_OK)'

/** The process must be able to read what is visible; tried out with Node itself. */
export async function findIsolation(
  visible: string[],
  candidates: Iterable<Isolation> = allCandidates(process.getuid?.() === 0),
): Promise<Isolation> {
  let weakest: Isolation | undefined
  for (const candidate of candidates) {
    if (await works(candidate, visible)) return candidate
    weakest = candidate
  }
  // Whatever is wrong then will be told by the process itself.
  if (weakest === undefined) throw new Error('There is no way to start a process.')
  return weakest
}

function* allCandidates(isRoot: boolean): Generator<Isolation> {
  for (const plan of plans(isRoot)) {
    const built = buildWalls(plan, isRoot)
    if (built !== undefined) yield built
  }
  yield* plainWalls(isRoot)
}

async function works(isolation: Isolation, visible: string[]): Promise<boolean> {
  const probe = [process.execPath, '--no-warnings', '-e', readAll, ...visible]
  const [command = '', ...args] = isolation.wrap(probe, probeLimits, visible)
  try {
    await run(command, args, { cwd: '/', env: {}, timeout: probeMs })
    return true
  } catch {
    return false
  }
}
