// The machines of a swarm: listed, found, changed and removed.
import type { z } from 'zod'
import { invalidParameter } from '../../errors.ts'
import { readAvailability } from '../../swarm/draft-swarm.ts'
import { findObject } from '../../swarm/find-object.ts'
import type { KeptNode } from '../../swarm/store/objects.ts'
import type { Swarm } from '../../swarm/swarm.ts'
import { outOfSequence } from '../../swarm/versioned.ts'
import type { Filters } from '../query/schema.ts'
import { nodeFilter } from './node-filters.ts'
import type { Node, NodeSpec } from './schema.ts'

export class Nodes {
  readonly #swarm: Pick<Swarm, 'membership'>

  constructor(swarm: Pick<Swarm, 'membership'>) {
    this.#swarm = swarm
  }

  list(filters: Filters): Node[] {
    return this.#swarm.membership.store.all('node').filter(nodeFilter(filters)).map(view)
  }

  inspect(asked: string): Node {
    return view(this.find(asked))
  }

  /** By id, name or the beginning of an id, in this order; `self` is this one. */
  find(asked: string): KeptNode {
    const { store, identity } = this.#swarm.membership
    const id = asked === 'self' ? identity.nodeId : asked
    return findObject('node', store.all('node'), id, ({ Spec, Description }) => Spec.Name || Description.Hostname)
  }

  async update(asked: string, version: number, spec: z.output<typeof NodeSpec>): Promise<void> {
    const { store } = this.#swarm.membership
    const node = this.find(asked)
    const Role = readRole(spec.Role || node.Spec.Role)
    if (Role === 'worker' && node.Spec.Role === 'manager') this.#refuseLastManager()
    if (Role === 'manager' && node.Spec.Role === 'worker') {
      throw invalidParameter('a worker cannot be promoted yet: swarms of this engine have one manager')
    }
    const { Name = '', Labels = {} } = spec
    const Availability = readAvailability(spec.Availability || node.Spec.Availability)
    const Spec = { ...(Name === '' ? {} : { Name }), Labels, Role, Availability }
    if (node.Version.Index !== version) throw outOfSequence()
    if (!(await store.commit([{ kind: 'node', object: { ...node, Spec }, index: version }]))) throw outOfSequence()
  }

  async remove(asked: string, isForced: boolean): Promise<void> {
    const { store } = this.#swarm.membership
    const node = this.find(asked)
    if (node.Spec.Role === 'manager') {
      throw invalidParameter(
        `node ${node.ID} is a cluster manager and is a member of the raft cluster. It must be demoted to worker before removal`,
      )
    }
    if (!isForced && node.Status.State === 'ready') {
      throw invalidParameter(`node ${node.ID} is not down and can't be removed`)
    }
    await store.commit([], [{ kind: 'node', id: node.ID }])
  }

  #refuseLastManager(): void {
    const managers = this.list({ role: ['manager'] })
    if (managers.length <= 1) throw invalidParameter('attempting to demote the last manager of the swarm')
  }
}

const view = ({ dataPath: _, ...node }: KeptNode): Node => node

function readRole(text: string): Node['Spec']['Role'] {
  if (text === 'manager' || text === 'worker') return text
  throw invalidParameter(`invalid Role: "${text}"; use manager or worker`)
}
