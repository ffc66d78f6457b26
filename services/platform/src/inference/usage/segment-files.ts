// The journal's files by name: whose they are, and which an earlier life left behind.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { UsageEvent } from './event.ts'

/** A process on a machine. `mark` tells it from others that had or have the same number. */
export interface Instance {
  host: string
  pid: number
  mark: string
}

/** A file that is complete. */
export interface Segment {
  path: string
  /** Undefined: to be read from the file. */
  lines: string[] | undefined
  /** What the disk did not take: it is in `lines` alone. */
  unwritten: boolean
  /** Whether it may be removed once its events are in the database. */
  removable: boolean
}

const namePattern = /^(\d+)\.([0-9A-Za-z]+)\.\d+\.(.+)\.jsonl$/
/** Nobody keeps a file open this long. */
const abandonedAfterMs = 24 * 3600 * 1000

export const segmentName = (instance: Instance, count: number): string =>
  `${instance.pid}.${instance.mark}.${count}.${hostPart(instance)}.jsonl`

const hostPart = ({ host }: Instance): string => encodeURIComponent(host)

/**
 * Files of other processes. All are worth reading, since events that are in the database already change nothing; only
 * those that nobody can be writing any more may be removed.
 */
export function foreignSegments(folder: string, own: Instance): Segment[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const [, pid, mark, host] = namePattern.exec(name) ?? []
      if (pid === undefined || mark === own.mark) return []
      const path = join(folder, name)
      const ended = host === hostPart(own) && Number(pid) !== own.pid && !isAlive(Number(pid))
      return [{ path, lines: undefined, unwritten: false, removable: ended || isOld(path) }]
    })
}

function isOld(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.mtimeMs > abandonedAfterMs
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** The events of a file, each as JSON text. A line cut short was never acknowledged. */
export function readSegment(path: string): { lines: string[]; damaged: number } {
  const text = textOf(path)
  const lines = text.split('\n').filter((line) => line !== '')
  const whole = lines.filter(isEvent)
  return { lines: whole, damaged: lines.length - whole.length }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    // Its writer is alive and done with it.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

function isEvent(line: string): boolean {
  try {
    return UsageEvent.safeParse(JSON.parse(line)).success
  } catch {
    return false
  }
}
