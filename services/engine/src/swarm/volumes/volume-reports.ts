// What nodes tell managers about volumes of the cluster, written down.
import { changeObject } from '../store/change-object.ts'
import type { Retries } from '../store/retries.ts'
import type { SwarmStore } from '../store/swarm-store.ts'
import type { VolumeReports } from './node-volumes.ts'

type ReportStore = Pick<SwarmStore, 'get' | 'commit'>

/** A node says it once. */
export const writeReports = (store: ReportStore, nodeId: string, writes: Retries): VolumeReports => ({
  csi(nodes) {
    void writes.run(`what plugins say of node ${nodeId}`, () =>
      changeObject(store, 'node', nodeId, (node) =>
        JSON.stringify(node.csi ?? []) === JSON.stringify(nodes) ? undefined : { ...node, csi: nodes },
      ),
    )
  },
  unpublished(id) {
    if (store.get('volume', id) === undefined) return
    void writes.run(`that node ${nodeId} let go of volume ${id}`, () =>
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
    )
  },
})
