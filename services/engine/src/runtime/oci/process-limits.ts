// Ulimits and the out-of-memory score, within what the engine may give.
import type { HostConfig } from '../../resources/containers/schema.ts'
import type { OciProcess } from '../runtime.ts'
import { type HostFacts, limitNames } from './host.ts'

type Rlimits = NonNullable<OciProcess['rlimits']>

const unlimited = -1

/** 2^64 - 1 is no JavaScript number; written into the configuration it is exact, and read as "unlimited". */
const writtenUnlimited = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(
  '18446744073709551615',
) as number

export function checkUlimits({ Ulimits = [] }: Pick<HostConfig, 'Ulimits'>): string[] {
  return Ulimits.flatMap(({ Name, Soft, Hard }) => {
    if (!limitNames.includes(Name.toUpperCase())) return [`invalid ulimit type: ${Name}`]
    if (Soft < unlimited || Hard < unlimited) return [`ulimit ${Name}: values must be -1 (unlimited), 0 or more`]
    const isAbove = Hard !== unlimited && (Soft === unlimited || Soft > Hard)
    return isAbove ? [`ulimit soft limit must be less than or equal to hard limit: ${Soft} > ${Hard} (${Name})`] : []
  })
}

export function chooseRlimits(
  { Ulimits = [] }: Pick<HostConfig, 'Ulimits'>,
  host: HostFacts,
): { rlimits: Rlimits; warnings: string[] } {
  const warnings: string[] = []
  const rlimits = Ulimits.map(({ Name, Soft, Hard }) => {
    const name = Name.toUpperCase()
    const most = highest(name, host)
    const hard = Math.min(Hard === unlimited ? Number.POSITIVE_INFINITY : Hard, most)
    const soft = Math.min(Soft === unlimited ? Number.POSITIVE_INFINITY : Soft, hard)
    if (hard < (Hard === unlimited ? Number.POSITIVE_INFINITY : Hard)) {
      warnings.push(
        `ulimit ${Name.toLowerCase()}=${Soft}:${Hard} is more than the engine may give: lowered to ${soft}:${hard}.`,
      )
    }
    return { type: `RLIMIT_${name}`, soft: written(soft), hard: written(hard) }
  })
  return { rlimits, warnings }
}

function highest(name: string, host: HostFacts): number {
  const own = host.capabilities.has('CAP_SYS_RESOURCE')
    ? Number.POSITIVE_INFINITY
    : (host.hardLimits[name] ?? Number.POSITIVE_INFINITY)
  return name === 'NOFILE' ? Math.min(own, host.maxOpenFiles) : own
}

const written = (limit: number): number => (limit === Number.POSITIVE_INFINITY ? writtenUnlimited : limit)

/** Lower than its own the engine cannot make it without CAP_SYS_RESOURCE. */
export function chooseOomScore(
  { OomScoreAdj = 0 }: Pick<HostConfig, 'OomScoreAdj'>,
  host: HostFacts,
): { oomScoreAdj: number; warnings: string[] } {
  if (OomScoreAdj >= host.oomScoreAdj || host.capabilities.has('CAP_SYS_RESOURCE')) {
    return { oomScoreAdj: OomScoreAdj, warnings: [] }
  }
  const warning = `OomScoreAdj ${OomScoreAdj} is lower than the engine may give: raised to ${host.oomScoreAdj}.`
  return { oomScoreAdj: host.oomScoreAdj, warnings: OomScoreAdj === 0 ? [] : [warning] }
}
