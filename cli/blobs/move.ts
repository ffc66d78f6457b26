// Moves blobs to the place that the configuration names, beside the nodes that serve.
import { moveBlobs } from '@atoll/kernel/blobs/move-blobs'
import { openAlso, openUnclaimedBlobs } from '@atoll/kernel/blobs/open-blobs'
import { referencedKeys } from '@atoll/kernel/blobs/segment-rows'
import { readStoreId } from '@atoll/kernel/blobs/store-id'
import { systemClock } from '@atoll/kernel/clock/clock'
import { openToRead } from '@atoll/kernel/db/open-to-read'
import { createIds } from '@atoll/kernel/ids/ids'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import { configOf, databaseOf, type PlaceFlags } from '../backup/places.ts'
import { tellingBackup } from '../backup/telling.ts'
import { CommandProblem } from '../command-problem.ts'

export function move(flags: PlaceFlags): Promise<void> {
  return tellingBackup(async () => {
    process.umask(0o077)
    const config = await configOf(flags)
    const { also } = config.blobs
    if (also === undefined) {
      throw new CommandProblem('blobs.also does not say where the blobs come from; see ./atoll blobs move --help.')
    }
    const needs = { config, clock: systemClock, ids: createIds(systemClock) }
    const { queries, close } = await openToRead(databaseOf(config), { log: createLog({ level: 'error' }) })
    try {
      const storeId = await readStoreId(queries)
      if (config.blobs.s3 !== undefined && storeId === undefined) {
        throw new CommandProblem('no Atoll has started with this configuration yet: start it first.')
      }
      const [from, to] = [await openAlso(needs, also), await openUnclaimedBlobs({ ...needs, storeId })]
      const referenced = (keys: string[]) => referencedKeys(queries, keys)
      const { blobs, bytes, left } = await moveBlobs({ from: from.blobs, to: to.blobs, referenced })
      from.close()
      to.close()
      process.stdout.write(`${blobs} blobs of ${bytes} bytes were moved.\n`)
      if (left > 0) process.stdout.write(`${left} stay: they are being written, or nothing refers to them.\n`)
    } finally {
      await close()
    }
  })
}
