// Walls built by build-walls.pl: everything that the kernel offers, without anything to be installed or compiled.
import { fileURLToPath } from 'node:url'
import { callFilter } from './call-filter.ts'
import type { Isolation } from './isolation.ts'
import { findProgram } from './programs.ts'
import type { ResourceLimits } from './resource-limits.ts'
import { type SystemCalls, systemCallsOf } from './system-calls.ts'
import type { Wall } from './wall.ts'

/** The user without rights, `nobody` everywhere. */
const nobody = 65534
/** Node has about ten. */
const maxThreads = 64
const builder = fileURLToPath(new URL('./build-walls.pl', import.meta.url))

export interface Plan {
  namespaces: boolean
  files: 'mount' | 'landlock' | 'open'
  /** Root becomes this one. */
  user: number | undefined
  filter: boolean
}

/** The strongest first. */
export function* plans(isRoot: boolean): Generator<Plan> {
  const ways = [
    { namespaces: true, files: 'mount' },
    { namespaces: true, files: 'landlock' },
    { namespaces: true, files: 'open' },
    { namespaces: false, files: 'landlock' },
    { namespaces: false, files: 'open' },
  ] as const
  for (const way of ways)
    for (const filter of [true, false])
      for (const user of isRoot ? [nobody, undefined] : [undefined]) yield { ...way, filter, user }
}

/** Undefined where there is no Perl, or the numbers of this processor's system calls are not known. */
export function buildWalls(plan: Plan, isRoot: boolean): Isolation | undefined {
  const perl = findProgram('perl')
  const calls = systemCallsOf(process.arch)
  if (perl === undefined || calls === undefined) return undefined
  return {
    forks: plan.namespaces,
    walls: wallsOf(plan, isRoot),
    wrap: (command, limits, visible) => [perl, builder, ...argumentsFor(plan, calls, limits, visible), ...command],
  }
}

function wallsOf({ namespaces, files, user, filter }: Plan, isRoot: boolean): Wall[] {
  const seccomp = filter ? 'seccomp' : undefined
  const byFiles = { mount: 'an empty mount namespace', landlock: 'Landlock', open: undefined }
  const byRights = isRoot ? undefined : namespaces ? 'a user namespace' : 'no new privileges'
  return [
    { against: 'files', by: byFiles[files] },
    { against: 'network', by: namespaces ? 'a network namespace' : seccomp },
    { against: 'processes', by: namespaces ? 'a process namespace' : seccomp },
    { against: 'system calls', by: seccomp },
    { against: 'rights', by: user === undefined ? byRights : 'the user nobody' },
  ]
}

function argumentsFor(plan: Plan, calls: SystemCalls, limits: ResourceLimits, visible: string[]): string[] {
  return [
    ...Object.entries(calls.building).map(([name, number]) => `--call=${name}:${number}`),
    `--namespaces=${plan.namespaces ? 1 : 0}`,
    `--files=${plan.files}`,
    `--user=${plan.user ?? ''}`,
    `--nobody=${nobody}`,
    `--filter=${plan.filter ? callFilter(calls).toString('hex') : ''}`,
    ...visible.map((path) => `--visible=${path}`),
    ...limitArguments(limits),
  ]
}

/** By the kernel's numbers for them. */
function limitArguments({ dataBytes, cpuSeconds, openFiles, stackKilobytes }: ResourceLimits): string[] {
  const fileSize = 0
  const coreSize = 0
  const stackBytes = stackKilobytes * 1024
  const values = [cpuSeconds, fileSize, dataBytes, stackBytes, coreSize, undefined, maxThreads, openFiles]
  return values.flatMap((value, number) => (value === undefined ? [] : [`--limit=${number}:${Math.ceil(value)}`]))
}
