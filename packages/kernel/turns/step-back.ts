// Priorities of threads: what nobody waits for gets the time that others leave.
import { getPriority, setPriority } from 'node:os'

const lowest = 19
const steps = 5

/** For the calling thread, to be called before it loads its code. On Linux alone: elsewhere it would be the whole server. */
export function stepBack(): void {
  if (process.platform === 'linux') setPriority(Math.min(lowest, getPriority() + steps))
}
