// Networks of the swarm in its store: made, removed, and who has which address on them.
import { conflict, forbidden } from '../../errors.ts'
import { parseAddress } from '../../network/address.ts'
import { LiveNetwork, type LiveSubnet } from '../../network/live-network.ts'
import type { NetworkRecord } from '../../network/network-record.ts'
import { clusterOf, type Membership } from '../membership.ts'
import { changeObject } from '../store/change-object.ts'
import type { KeptNetwork } from '../store/objects.ts'
import type { SwarmStore } from '../store/swarm-store.ts'
import { isAttachment } from '../worker/attachments.ts'
import { isOver } from './task-states.ts'

type ReadStore = Pick<SwarmStore, 'all' | 'get'>

/** Lower ones are left to others. */
const firstVni = 4_097

export const managersOf = (store: Pick<SwarmStore, 'all'>): string[] =>
  store.all('node').flatMap(({ ID, Spec }) => (Spec.Role === 'manager' ? [ID] : []))

/** Subnets may not overlap: whoever chooses one has seen all networks. */
const networksMark = 'networks'

export const networksSeen = (store: SwarmStore): number => store.mark(networksMark)?.revision ?? 0

/** `seen`: when its subnet was chosen. False: other networks were made meanwhile, one of which may have it. */
export async function keepNetwork(
  { store, identity }: Membership,
  record: NetworkRecord,
  seen: number,
): Promise<boolean> {
  const { subnet4 } = new LiveNetwork(record)
  const gateways = Object.fromEntries(
    managersOf(store).flatMap((id) => {
      const address = id === identity.nodeId ? subnet4?.gateway : subnet4?.leases.reserveAny()
      return address === undefined ? [] : [[id, address]]
    }),
  )
  const fresh = { ID: record.id, Version: { Index: 0 }, CreatedAt: '', UpdatedAt: '' }
  const object: KeptNetwork = { ...fresh, record, vni: freeVni(store), gateways }
  if (
    await store.commit([{ kind: 'network', object, index: 0 }], [], { guard: { mark: networksMark, revision: seen } })
  )
    return true
  if (store.all('network').some((other) => other.record.name === record.name)) {
    throw conflict(`network with name ${record.name} already exists`)
  }
  return false
}

/** Its containers elsewhere keep it as those here do. */
export async function dropNetwork(store: SwarmStore, { id, name }: NetworkRecord): Promise<void> {
  const attached = store.all('task').some((task) => isAttachment(task) && task.Spec.Networks?.[0]?.Target === id)
  if (attached) throw forbidden(`error while removing network: network ${name} id ${id} has active endpoints`)
  await store.commit([], [{ kind: 'network', id }])
}

/** The IPv4 subnet of a network with everything that is given out of it. */
export function subnetOf(store: ReadStore, { ID, record }: KeptNetwork): LiveSubnet | undefined {
  const { subnet4 } = new LiveNetwork(record)
  for (const text of addressesOn(store, ID)) {
    const address = parseAddress(text)
    if (address !== undefined) subnet4?.leases.reserve(address)
  }
  return subnet4
}

function* addressesOn(store: ReadStore, networkId: string): Iterable<string> {
  yield* Object.values(store.get('network', networkId)?.gateways ?? {})
  for (const { Endpoint } of store.all('service')) {
    for (const { NetworkID, Addr } of Endpoint.VirtualIPs ?? []) {
      if (NetworkID === networkId) yield Addr.split('/')[0] ?? ''
    }
  }
  for (const task of store.all('task')) {
    const address = isOver(task) ? undefined : task.addresses?.[networkId]
    if (address !== undefined) yield address
  }
}

function freeVni(store: SwarmStore): number {
  const taken = new Set(store.all('network').map(({ vni }) => vni))
  let vni = firstVni
  while (taken.has(vni)) vni++
  return vni
}

/** Swarms of before had their networks in the database of their one manager. */
export async function takeOverNetworks(membership: Membership, local: readonly NetworkRecord[]): Promise<void> {
  const { store, identity } = membership
  if (clusterOf(membership).hasNetworks === true) return
  for (const record of local) {
    const known = store.get('network', record.id)
    if (known?.record !== undefined) continue
    const own = new LiveNetwork(record).subnet4?.gateway
    if (known === undefined) await keepNetwork(membership, record, networksSeen(store))
    else {
      const gateways = { ...(own === undefined ? {} : { [identity.nodeId]: own }), ...known.gateways }
      const object = { ...known, record, gateways }
      await store.commit([{ kind: 'network', object, index: known.Version.Index }])
    }
  }
  await changeObject(store, 'cluster', identity.clusterId, (cluster) => ({ ...cluster, hasNetworks: true }))
}
