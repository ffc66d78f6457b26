// Priorities of threads and processes: what nobody waits for gets the time that others leave. Never before where they
// are: a server that was itself started behind others (`nice`, systemd's Nice=) may not, unless it is root.
import { getPriority, setPriority } from 'node:os'

const lowest = 19
const steps = 5

/** Of what goes behind the calling thread. */
export const behind = (): number => Math.min(lowest, getPriority() + steps)

/** For a process or, on Linux, one thread of it: at least so far behind others. */
export function stepBackTo(niceness: number, id = 0): void {
  try {
    if (getPriority(id) < niceness) setPriority(id, niceness)
  } catch {
    // It has ended, or the system forbids it, as systemd's SystemCallFilter=~@resources does: the work is done all the same.
  }
}

/** For the calling thread, to be called before it loads its code. On Linux alone: elsewhere it would be the whole server. */
export function stepBack(): void {
  if (process.platform === 'linux') stepBackTo(behind())
}
