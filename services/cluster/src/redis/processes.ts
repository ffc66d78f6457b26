// Processes that outlive the one that started them: known by where they work, not only by a number that others may get.
import { readdir, readFile, readlink, realpath } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** A number is used again some day; together with the time of the start it is one process. */
export interface ProcessIdentity {
  pid: number
  /** In ticks since the machine started. */
  startTime: string
}

const pollMs = 10

/** Undefined when there is no such process, or nothing of it but its number. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const startTime = (await statOf(pid))?.[19]
  return startTime === undefined ? undefined : { pid, startTime }
}

/** From its state on. */
async function statOf(pid: number): Promise<string[] | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name, in parentheses, may hold spaces and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields === undefined || 'ZX'.includes(fields[0] ?? '') ? undefined : fields
}

/** How long it has computed so far; undefined when it has ended. */
export async function cpuTicksOf({ pid }: ProcessIdentity): Promise<number | undefined> {
  const fields = await statOf(pid)
  return fields === undefined ? undefined : Number(fields[11]) + Number(fields[12])
}

export async function isRunning({ pid, startTime }: ProcessIdentity): Promise<boolean> {
  return (await identify(pid))?.startTime === startTime
}

/** Whether it was there to be signalled. */
export async function signal(process_: ProcessIdentity, name: NodeJS.Signals): Promise<boolean> {
  if (!(await isRunning(process_))) return false
  try {
    return process.kill(process_.pid, name)
  } catch {
    return false
  }
}

/** Whether it ended in time. */
export async function ended(process_: ProcessIdentity, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs
  while (await isRunning(process_)) {
    if (performance.now() > until) return false
    await delay(pollMs)
  }
  return true
}

/** All that have `folder` as their working directory. */
export async function processesIn(folder: string): Promise<ProcessIdentity[]> {
  const wanted = await realpath(folder).catch(() => folder)
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    pids.map(async (pid) => {
      const place = await readlink(`/proc/${pid}/cwd`).catch(() => undefined)
      return place === wanted ? identify(pid) : undefined
    }),
  )
  return found.filter((each) => each !== undefined)
}

/** What an earlier start has left there, and nobody speaks to any more. */
export async function endProcessesIn(folder: string): Promise<void> {
  const left = await processesIn(folder)
  for (const each of left) await signal(each, 'SIGKILL')
  await Promise.all(left.map((each) => ended(each, endMs)))
}

const endMs = 10_000
const retryMs = 50

/** Tells once when a process has ended: it notices by a connection to the socket where the process listens. */
export class ProcessWatch {
  readonly #process: ProcessIdentity
  readonly #path: string
  readonly #listeners: (() => void)[] = []
  #stop: (() => void) | undefined
  #isOver = false

  constructor(process_: ProcessIdentity, path: string) {
    this.#process = process_
    this.#path = path
    this.#connect()
  }

  onExit(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** The process goes on, unwatched. */
  close(): void {
    this.#isOver = true
    this.#stop?.()
  }

  #connect(): void {
    const socket = connect({ path: this.#path }).unref()
    this.#stop = () => socket.destroy()
    socket.on('error', () => undefined) // 'close' follows
    socket.on('data', () => undefined)
    socket.on('close', () => void this.#look())
  }

  async #look(): Promise<void> {
    const goesOn = await isRunning(this.#process)
    if (this.#isOver) return
    if (goesOn) {
      const timer = setTimeout(() => this.#connect(), retryMs).unref()
      this.#stop = () => clearTimeout(timer)
      return
    }
    this.#isOver = true
    for (const listener of this.#listeners) listener()
  }
}
