// Which capabilities a container's processes have.
import type { HostConfig } from '../../resources/containers/schema.ts'
import { capabilityNames } from './capability-names.ts'

type Asked = Partial<Pick<HostConfig, 'CapAdd' | 'CapDrop' | 'Privileged'>>

const everything = 'ALL'

/** What a container gets when nothing is said. */
export const defaultCapabilities: readonly string[] = [
  'CAP_CHOWN',
  'CAP_DAC_OVERRIDE',
  'CAP_FSETID',
  'CAP_FOWNER',
  'CAP_MKNOD',
  'CAP_NET_RAW',
  'CAP_SETGID',
  'CAP_SETUID',
  'CAP_SETFCAP',
  'CAP_SETPCAP',
  'CAP_NET_BIND_SERVICE',
  'CAP_SYS_CHROOT',
  'CAP_KILL',
  'CAP_AUDIT_WRITE',
]

/** `net_admin`, `CAP_NET_ADMIN`, `all`. */
function normal(name: string): string {
  const upper = name.trim().toUpperCase()
  return upper === everything || upper.startsWith('CAP_') ? upper : `CAP_${upper}`
}

const isKnown = (name: string): boolean => name === everything || capabilityNames.includes(name)

export const checkCapabilities = ({ CapAdd = [], CapDrop = [] }: Asked): string[] => [
  ...unknownOnes('CapAdd', CapAdd),
  ...unknownOnes('CapDrop', CapDrop),
]

const unknownOnes = (field: string, names: readonly string[]): string[] =>
  names
    .map(normal)
    .filter((name) => !isKnown(name))
    .map((name) => `invalid ${field}: unknown capability: "${name}"`)

function wanted({ CapAdd = [], CapDrop = [], Privileged }: Asked): string[] {
  if (Privileged) return [...capabilityNames]
  const added = CapAdd.map(normal)
  const dropped = new Set(CapDrop.map(normal))
  if (added.includes(everything)) return capabilityNames.filter((name) => !dropped.has(name))
  if (dropped.has(everything)) return [...new Set(added)]
  return [...new Set([...defaultCapabilities.filter((name) => !dropped.has(name)), ...added])]
}

/** Nobody can give what he does not hold: the runtimes fail on it, so it is left out, and said. */
export function chooseCapabilities(
  asked: Asked,
  held: ReadonlySet<string>,
): { capabilities: string[]; warnings: string[] } {
  const all = wanted(asked)
  const missing = all.filter((name) => !held.has(name))
  return {
    capabilities: all.filter((name) => held.has(name)),
    warnings:
      missing.length === 0
        ? []
        : [`The engine itself does not hold ${missing.join(', ')}: the container runs without it.`],
  }
}
