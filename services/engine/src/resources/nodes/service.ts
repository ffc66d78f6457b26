// The machines of a swarm: listed, found, changed and removed.
import type { z } from 'zod'
import { invalidParameter } from '../../errors.ts'
import { readAvailability } from '../../swarm/draft-swarm.ts'
import { findObject } from '../../swarm/find-object.ts'
import { isPresent, leaderOf } from '../../swarm/manager/leadership.ts'
import type { KeptNode } from '../../swarm/store/objects.ts'
import type { SwarmStore } from '../../swarm/store/swarm-store.ts'
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
    const { store } = this.#swarm.membership
    return store.all('node').filter(nodeFilter(filters)).map(viewIn(store))
  }

  inspect(asked: string): Node {
    return viewIn(this.#swarm.membership.store)(this.find(asked))
  }

  /** By id, name or the beginning of an id, in this order; `self` is this one. */
  find(asked: string): KeptNode {
    const { store, identity } = this.#swarm.membership
    const id = asked === 'self' ? identity.nodeId : asked
    return findObject('node', store.all('node'), id, ({ Spec, Description }) => Spec.Name || Description.Hostname)
  }

  async update(asked: string, version: number, spec: z.output<typeof NodeSpec>): Promise<void> {
    const { store, identity } = this.#swarm.membership
    const node = this.find(asked)
    const Role = readRole(spec.Role || node.Spec.Role)
    const isDemoted = Role === 'worker' && node.Spec.Role === 'manager'
    if (isDemoted) this.#refuseLastManager()
    const { Name = '', Labels = {} } = spec
    const Availability = readAvailability(spec.Availability || node.Spec.Availability)
    const Spec = { ...(Name === '' ? {} : { Name }), Labels, Role, Availability }
    if (node.Version.Index !== version) throw outOfSequence()
    const cluster = store.get('cluster', identity.clusterId)
    // Of two managers that demote one another at once only one may.
    const guard =
      isDemoted && cluster ? [{ kind: 'cluster' as const, object: cluster, index: cluster.Version.Index }] : []
    const { ManagerStatus: _, ...rest } = node
    const object = isDemoted ? { ...rest, Spec } : { ...node, Spec }
    if (!(await store.commit([{ kind: 'node', object, index: version }, ...guard]))) throw outOfSequence()
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

/** Who leads, and which managers are there, is known from what they keep alive in the store. */
const viewIn =
  (store: SwarmStore) =>
  ({ dataPath: _, ManagerStatus, ...node }: KeptNode): Node => {
    if (ManagerStatus === undefined || node.Spec.Role !== 'manager') return node
    const Reachability = isPresent(store, node.ID) ? 'reachable' : 'unreachable'
    return { ...node, ManagerStatus: { Leader: leaderOf(store) === node.ID, Reachability, Addr: ManagerStatus.Addr } }
  }

function readRole(text: string): Node['Spec']['Role'] {
  if (text === 'manager' || text === 'worker') return text
  throw invalidParameter(`invalid Role: "${text}"; use manager or worker`)
}
