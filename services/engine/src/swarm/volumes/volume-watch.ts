// Follows which volumes of the cluster a node is to have, and tells it what changed. It is told at once: a task that
// needs a volume comes after the word that the volume is there.
import type { Log } from '@atoll/kernel/telemetry/log'
import type { KeptVolume } from '../store/objects.ts'
import type { SwarmStore } from '../store/swarm-store.ts'
import type { NodeVolume, VolumeSink } from './node-volume.ts'

export interface VolumeWatchParts {
  store: Pick<SwarmStore, 'all' | 'listen'>
  nodeId: string
  secretsOf(volume: KeptVolume): Record<string, string>
  log: Log
}

/** Returns how to stop. */
export function watchVolumes({ store, nodeId, secretsOf, log }: VolumeWatchParts, sink: VolumeSink): () => void {
  /** As JSON: other nodes have their part of a volume, too. */
  const told = new Map<string, string>()
  const describe = (volume: KeptVolume): NodeVolume | undefined => {
    try {
      return describeAll(volume)
    } catch (error) {
      // A secret of it is gone.
      log.warn({ volume: volume.ID, error: (error as Error).message }, 'a node cannot be told of a volume')
      return undefined
    }
  }
  const describeAll = (volume: KeptVolume): NodeVolume | undefined => {
    const status = volume.PublishStatus?.find(({ NodeID }) => NodeID === nodeId)
    const { Info, ID, name, driver, Spec } = volume
    if (status === undefined || Info === undefined) return undefined
    return {
      ...{ id: ID, name, driver, state: status.State, access: Spec.AccessMode },
      ...{ volumeId: Info.VolumeID, context: Info.VolumeContext, publishContext: status.PublishContext ?? {} },
      secrets: secretsOf(volume),
    }
  }
  const all = store.all('volume').flatMap((volume) => describe(volume) ?? [])
  for (const volume of all) told.set(volume.id, JSON.stringify(volume))
  sink.volumes(all)
  return store.listen(({ kind, id, after }) => {
    if (kind !== 'volume') return
    const volume = after && describe(after as KeptVolume)
    if (volume === undefined) {
      if (told.delete(id)) sink.volumeGone(id)
      return
    }
    const text = JSON.stringify(volume)
    if (told.get(id) === text) return
    told.set(id, text)
    sink.volume(volume)
  })
}
