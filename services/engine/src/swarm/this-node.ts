// What a machine tells its swarm of itself.
import { hostname, totalmem } from 'node:os'
import type { Node } from '../resources/nodes/schema.ts'
import type { GenericResource } from '../resources/services/schema.ts'
import type { HostFacts } from '../runtime/oci/host.ts'

const nanosPerCpu = 1e9
type Generic = Node['Description']['Resources']['GenericResources']

export interface NodeFacts {
  host: Pick<HostFacts, 'architecture' | 'cpus'>
  engineVersion: string
  /** `zone=cellar` */
  labels: readonly string[]
  /** What its tasks may reserve. */
  genericResources: readonly GenericResource[]
  drivers: { volume: readonly string[]; network: readonly string[]; log: readonly string[] }
}

export function describeNode({
  host,
  engineVersion,
  labels,
  drivers,
  genericResources,
}: NodeFacts): Omit<Node['Description'], 'TLSInfo'> {
  const plugins = (Type: string, names: readonly string[]) => names.map((Name) => ({ Type, Name }))
  return {
    Hostname: hostname(),
    Platform: { Architecture: host.architecture, OS: 'linux' },
    Resources: {
      ...{ NanoCPUs: host.cpus * nanosPerCpu, MemoryBytes: totalmem() },
      ...(genericResources.length === 0 ? {} : { GenericResources: [...genericResources] as Generic }),
    },
    Engine: {
      EngineVersion: engineVersion,
      Labels: Object.fromEntries(labels.map((label) => splitLabel(label))),
      Plugins: [
        ...plugins('Log', drivers.log),
        ...plugins('Network', drivers.network),
        ...plugins('Volume', drivers.volume),
      ],
    },
  }
}

function splitLabel(label: string): [string, string] {
  const at = label.indexOf('=')
  return at < 0 ? [label, ''] : [label.slice(0, at), label.slice(at + 1)]
}
