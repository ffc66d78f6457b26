// What `GET /info` tells of this machine in its swarm.
import { hostOf } from '../../swarm/addresses.ts'
import type { Swarm } from '../../swarm/swarm.ts'
import type { Info } from './schema.ts'

export function describeMembership(swarm: Swarm): Partial<Info['Swarm']> {
  const { identity, state, problem } = swarm
  if (identity === undefined) return {}
  const told = { NodeID: identity.nodeId, NodeAddr: hostOf(identity.advertiseAddress), Error: problem }
  if ('credentials' in identity) {
    return { ...told, RemoteManagers: identity.managers.map((Addr) => ({ NodeID: '', Addr })) }
  }
  if (state !== 'active/manager') return told
  const nodes = swarm.membership.store.all('node')
  const managers = nodes.filter(({ Spec }) => Spec.Role === 'manager')
  return {
    ...told,
    RemoteManagers: managers.map(({ ID, ManagerStatus }) => ({ NodeID: ID, Addr: ManagerStatus?.Addr ?? '' })),
    Nodes: nodes.length,
    Managers: managers.length,
  }
}
