// What a manager writes down of its own machine.
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Node } from '../../resources/nodes/schema.ts'
import { hostOf } from '../addresses.ts'
import type { Membership } from '../membership.ts'
import { changeObject } from '../store/change-object.ts'
import type { SwarmStore } from '../store/swarm-store.ts'
import { describeNode, type NodeFacts } from '../this-node.ts'
import { managersOf } from './kept-networks.ts'

const removeMs = 15_000
const betweenTriesMs = 300

/** This machine may be another than at its last start. */
export async function refreshNode(
  { store, identity }: Membership,
  facts: NodeFacts,
  tunnelKey: string | undefined,
): Promise<void> {
  await changeObject(store, 'node', identity.nodeId, (node) => {
    const Description = { ...describeNode(facts), TLSInfo: node.Description.TLSInfo }
    const Status: Node['Status'] = { State: 'ready', Message: '', Addr: hostOf(identity.advertiseAddress) }
    const ManagerStatus = {
      ...{ Leader: false, Reachability: 'unknown' as const, ...node.ManagerStatus, Addr: identity.advertiseAddress },
    }
    const object = { ...node, Description, Status, dataPath: identity.dataPathAddress, tunnelKey, ManagerStatus }
    return JSON.stringify(object) === JSON.stringify(node) ? undefined : object
  })
}

/** This machine leaves: other managers are told, where there are others and they can be told. */
export async function tellLeaving({ store, identity }: Membership, log: Log): Promise<void> {
  const { nodeId } = identity
  if (isAlone(store, nodeId)) return
  const tell = () =>
    changeObject(store, 'node', nodeId, ({ ManagerStatus: _, ...node }) => ({
      ...node,
      Spec: { ...node.Spec, Role: 'worker' },
      Status: { ...node.Status, State: 'down', Message: 'node left the swarm' },
    }))
  await tryFor(tell, (error) => log.warn({ error }, 'other managers do not know that this one goes'))
}

/** The store of this machine goes from that of the others: before it is stopped, so that they stay enough. */
export async function removeOwnMember({ store, client, identity }: Membership, log: Log): Promise<void> {
  const isLast = isAlone(store, identity.nodeId)
  if (identity.isOutside === true) {
    // Nobody reads it any more, and the next swarm may begin there.
    if (isLast)
      await tryFor(
        () => store.removeAll(),
        (error) => log.warn({ error }, 'the swarm is still in its etcd'),
      )
    return
  }
  if (isLast) return
  const remove = async () => client.removeMember((await client.members()).own)
  await tryFor(remove, (error) => log.warn({ error }, 'the store of this manager is still a member'))
}

/** Nobody may lead for a moment. */
async function tryFor(work: () => Promise<void>, giveUp: (problem: string) => void): Promise<void> {
  const deadline = Date.now() + removeMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (Date.now() > deadline) return giveUp((error as Error).message)
      await pause(betweenTriesMs)
    }
  }
}

const isAlone = (store: SwarmStore, nodeId: string): boolean => managersOf(store).every((id) => id === nodeId)
