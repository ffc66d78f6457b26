// What nodes tell managers about volumes of the cluster, written down.
import type { Log } from '@atoll/kernel/telemetry/log'
import { changeObject } from '../store/change-object.ts'
import type { SwarmStore } from '../store/swarm-store.ts'
import type { VolumeReports } from './node-volumes.ts'

const retryMs = 1_000

/** Written again until it is: a node says it once. */
export function writeReports(
  { store, log, nodeId }: { store: Pick<SwarmStore, 'get' | 'commit'>; log: Log; nodeId: string },
  isOver: () => boolean,
): VolumeReports {
  const write = (work: () => Promise<void>): void => {
    work().catch((error: Error) => {
      log.warn({ node: nodeId, error: error.message }, 'what a node said about its volumes is not written down yet')
      if (!isOver()) setTimeout(() => !isOver() && write(work), retryMs).unref()
    })
  }
  return {
    csi: (nodes) =>
      write(() =>
        changeObject(store, 'node', nodeId, (node) =>
          JSON.stringify(node.csi ?? []) === JSON.stringify(nodes) ? undefined : { ...node, csi: nodes },
        ),
      ),
    unpublished: (id) =>
      write(() =>
        changeObject(store, 'volume', id, (volume) => {
          const { PublishStatus = [] } = volume
          const isAsked = PublishStatus.some(
            ({ NodeID, State }) => NodeID === nodeId && State === 'pending-node-unpublish',
          )
          if (!isAsked) return undefined
          const next = PublishStatus.map((status) =>
            status.NodeID === nodeId ? { NodeID: nodeId, State: 'pending-controller-unpublish' as const } : status,
          )
          return { ...volume, PublishStatus: next }
        }),
      ),
  }
}
