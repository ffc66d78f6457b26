// What the server's processes for models and trainings have taken.
import { readFileSync } from 'node:fs'
import { type AtollServer, cpuSeconds, residentBytes } from './atoll-server.ts'

type Server = Pick<AtollServer, 'process'>

/** Resident memory of the child that runs this program; 0 while there is none. */
export const childMegabytes = (server: Server, program: string): number =>
  Math.round(mostOf(server, program, residentBytes) / 1e6)

/** User and system time so far. */
export const childSeconds = (server: Server, program: string): number => mostOf(server, program, cpuSeconds)

function mostOf({ process: { pid } }: Server, program: string, measure: (child: { pid: number }) => number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  const measures = children.map((child) => {
    try {
      const isMeant = readFileSync(`/proc/${child}/cmdline`, 'utf8').includes(program)
      return isMeant ? measure({ pid: Number(child) }) : 0
    } catch {
      // It has ended meanwhile.
      return 0
    }
  })
  return Math.max(0, ...measures)
}
