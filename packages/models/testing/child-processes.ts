// The processes that this one has started, by the file they run: for tests that kill them in mid-work.
import { readdirSync, readFileSync } from 'node:fs'

/** Linux alone. */
export function childrenRunning(file: string): number[] {
  const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return numbers.filter((pid) => isOurs(pid, file)).map(Number)
}

function isOurs(pid: string, file: string): boolean {
  try {
    const parent = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1]
    return Number(parent) === process.pid && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(file)
  } catch {
    return false
  }
}

export const residentBytes = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * 4_096

/** How nice each thread of this process is. Linux alone. */
export const threadPriorities = (): number[] =>
  readdirSync('/proc/self/task').map((task) => {
    const [, fields = ''] = /\) (.*)/.exec(readFileSync(`/proc/self/task/${task}/stat`, 'latin1')) ?? []
    return Number(fields.split(' ')[16])
  })
