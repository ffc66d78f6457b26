// A group of nodes: three against one, the primary's death, blobs in a bucket, vectors over nodes, backups while serving.
// needs: root, wrk, haproxy, nft, ip, unshare, nsenter
import { lackingPatroni } from '../cli/chaos/databases/patroni.ts'
import { lackingForGroup } from '../cli/chaos/isolated.ts'
import { prepareGroup } from '../cli/programs/group.ts'
import { measureBucket } from './bucket.ts'
import { requireWrk } from './measure.ts'
import { measureBackup } from './scale/backup.ts'
import { measureIsolated } from './scale/isolated-part.ts'
import { chosenParts, sizes } from './scale/options.ts'
import { measureVectorNodes } from './scale/vector-nodes.ts'

export async function bench(): Promise<void> {
  const parts = chosenParts()
  requireWrk()
  prepareGroup(true)
  const lacks = lackingForGroup()
  if (lacks !== '') throw new Error(`This benchmark needs ${lacks}, which this machine lacks.`)
  for (const part of parts) {
    console.log(`\n  ${part}`)
    if (part === 'nodes') await measureIsolated({ part })
    else if (part === 'failover') await measureIsolated({ part, isSingle: lackingPatroni() !== '' })
    else if (part === 'vectors') await measureVectorNodes(sizes.chunks)
    else if (part === 'bucket') await measureBucket(sizes.bucketMb)
    else await measureBackup(sizes.objects, sizes.objectKb)
  }
}
