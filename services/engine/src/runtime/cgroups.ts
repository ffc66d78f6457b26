// The control groups of a container, in cgroup v1 or v2: where they are, who is in them, and how they freeze.
import { readdir, readFile, rmdir, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { conflict, unavailable } from '../errors.ts'

const mountPoint = '/sys/fs/cgroup'
const unifiedMagic = 0x63677270
const triesBeforeThaw = 15
const thawMilliseconds = 10
const freezeMilliseconds = 10_000
const removeTries = 50
const maxDepth = 16

export interface Cgroup {
  version: 1 | 2
  /** Folder by controller; with v2 the same for each. */
  folder(controller: string): string | undefined
}

let detected: 1 | 2 | undefined

/** What the machine has; a machine with v1 and a v2 tree beside it counts as v1. */
export async function cgroupVersion(): Promise<1 | 2> {
  detected ??= (await statfs(mountPoint)).type === unifiedMagic ? 2 : 1
  return detected
}

function cgroupOf(version: 1 | 2, paths: Map<string, string>): Cgroup {
  return {
    version,
    folder(controller) {
      const path = paths.get(version === 2 ? '' : controller)
      if (path === undefined) return undefined
      return version === 2 ? join(mountPoint, path) : join(mountPoint, controller, path)
    },
  }
}

/** Of a running process; rejects with ENOENT or ESRCH when it is gone. */
export async function findCgroup(pid: number): Promise<Cgroup> {
  const paths = new Map<string, string>()
  for (const line of (await readFile(`/proc/${pid}/cgroup`, 'utf8')).trimEnd().split('\n')) {
    const [, controllers = '', ...path] = line.split(':')
    for (const controller of controllers.split(',')) paths.set(controller, path.join(':'))
  }
  return cgroupOf(await cgroupVersion(), paths)
}

/** Where every process of the container is. */
function home(cgroup: Cgroup): string {
  const folder = cgroup.folder('freezer') ?? cgroup.folder('pids') ?? cgroup.folder('memory')
  if (folder === undefined) throw unavailable('the container has no control group')
  return folder
}

async function subfolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name))
}

async function processesIn(folder: string, depth: number): Promise<number[]> {
  const text = await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '')
  const own = text.split('\n').filter(Boolean).map(Number)
  if (depth === maxDepth) return own
  const below = await Promise.all((await subfolders(folder)).map((each) => processesIn(each, depth + 1)))
  return [...own, ...below.flat()]
}

export async function processesOf(cgroup: Cgroup): Promise<number[]> {
  const found = new Set(await processesIn(home(cgroup), 0))
  return [...found].sort((a, b) => a - b)
}

async function isFrozenNow(cgroup: Cgroup): Promise<boolean> {
  if (cgroup.version === 1) return (await readFile(join(home(cgroup), 'freezer.state'), 'utf8')).trim() === 'FROZEN'
  return /^frozen 1$/m.test(await readFile(join(home(cgroup), 'cgroup.events'), 'utf8'))
}

/** Also while it is still freezing. False when the group is gone. */
export async function isPaused(cgroup: Cgroup): Promise<boolean> {
  const file = cgroup.version === 1 ? 'freezer.state' : 'cgroup.freeze'
  const text = await readFile(join(home(cgroup), file), 'utf8').catch(() => '')
  return cgroup.version === 1 ? /^FR/.test(text) : text.trim() === '1'
}

async function ask(cgroup: Cgroup, frozen: boolean): Promise<void> {
  const [file, word] =
    cgroup.version === 1 ? ['freezer.state', frozen ? 'FROZEN' : 'THAWED'] : ['cgroup.freeze', frozen ? '1' : '0']
  await writeFile(join(home(cgroup), file), word)
}

/** v1 may need to be asked again when processes come while it freezes, and now and then to begin anew. */
async function freezeAgain(cgroup: Cgroup, isAnew: boolean): Promise<void> {
  if (isAnew) {
    await ask(cgroup, false)
    await sleep(thawMilliseconds)
  }
  await ask(cgroup, true)
}

/** Those that cannot be stopped just now, and where in the kernel they are. */
async function waitingIn(cgroup: Cgroup): Promise<string[]> {
  const found = await Promise.all(
    (await processesOf(cgroup)).map(async (pid) => {
      const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')
      const [stat, place] = await Promise.all([read('stat'), read('wchan')])
      const [, name, state] = /^\d+ \((.*)\) (\S)/s.exec(stat) ?? []
      return state === 'D' ? `${name} (${pid}) in ${place || 'an unknown place'}` : undefined
    }),
  )
  return found.filter((each) => each !== undefined)
}

const words = (waiting: readonly string[]): string => (waiting.length === 0 ? '' : `: ${waiting.join(', ')}`)

/** Returns when all its processes stand still (or go on). */
export async function setFrozen(cgroup: Cgroup, frozen: boolean): Promise<void> {
  const until = Date.now() + freezeMilliseconds
  await ask(cgroup, frozen)
  for (let pause = 1, tries = 1; (await isFrozenNow(cgroup)) !== frozen; pause = Math.min(pause * 2, 50), tries++) {
    if (Date.now() > until) {
      const waiting = frozen ? await waitingIn(cgroup) : []
      if (frozen) await ask(cgroup, false)
      throw conflict(
        `the container's processes do not ${frozen ? 'stand still' : 'go on'}: one waits in the kernel${words(waiting)}`,
      )
    }
    await sleep(pause)
    if (cgroup.version === 1 && frozen) await freezeAgain(cgroup, tries % triesBeforeThaw === 0)
  }
}

/** crun writes the -1 of v1 as a number without a sign, which no kernel takes. */
export async function freeCpu(cgroup: Cgroup): Promise<void> {
  const folder = cgroup.folder('cpu')
  if (folder === undefined) throw unavailable('the container has no control group for the CPU')
  const [file, word] = cgroup.version === 1 ? ['cpu.cfs_quota_us', '-1'] : ['cpu.max', 'max']
  await writeFile(join(folder, file), word)
}

/** The same for a limit of processes that is taken away: crun 1.8 writes its -1 as it stands. */
export async function freeProcesses(cgroup: Cgroup): Promise<void> {
  const folder = cgroup.folder('pids')
  if (folder !== undefined) await writeFile(join(folder, 'pids.max'), 'max')
}

/** A frozen process does not die (v1). */
export async function thaw(pid: number): Promise<void> {
  const cgroup = await findCgroup(pid).catch(() => undefined)
  if (cgroup !== undefined && (await isPaused(cgroup))) await setFrozen(cgroup, false).catch(() => {})
}

async function removeFolder(folder: string, depth: number): Promise<void> {
  if (depth < maxDepth) for (const below of await subfolders(folder)) await removeFolder(below, depth + 1)
  for (let attempt = 0; attempt < removeTries; attempt++) {
    const code = await rmdir(folder).then(
      () => 'removed',
      (error: { code?: string }) => error.code,
    )
    if (code !== 'EBUSY') return
    await killProcesses(folder)
    await sleep(20)
  }
}

/** Those of another process namespace are listed as 0. */
async function killProcesses(folder: string): Promise<void> {
  for (const pid of (await processesIn(folder, maxDepth)).filter((each) => each > 0)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
  }
}

/**
 * Removes what a runtime that was killed left of a container's groups, and ends a process that it had not yet written
 * down. `path` as in the OCI configuration.
 */
export async function removeCgroups(path: string): Promise<void> {
  const name = join('/', path)
  if (name === '/') return
  if ((await cgroupVersion()) === 2) return removeFolder(join(mountPoint, name), 0)
  const controllers = await subfolders(mountPoint)
  await Promise.all(controllers.map((controller) => removeFolder(join(controller, name), 0)))
}
