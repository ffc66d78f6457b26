// A node for the crash test to kill: it records usage without pause and prints the id of each event it has recorded.
import '@atoll/testkit/keep-compiled'
import { writeSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { systemClock } from '@atoll/kernel/clock/clock'
import { type DatabaseTarget, openDatabase } from '@atoll/kernel/db/open'
import { createIds } from '@atoll/kernel/ids/ids'
import { silentLog } from '@atoll/testkit/silent-log'
import { UsageRecorder } from '../recorder.ts'
import { usageEvent } from './usage-event.ts'

const target = JSON.parse(process.env.ATOLL_TEST_TARGET ?? '') as DatabaseTarget
const [folder = '', mode] = process.argv.slice(2)
const ids = createIds(systemClock)
const db = await openDatabase(target, { log: silentLog })
const recorder = new UsageRecorder({ db, ids, log: silentLog, folder })

if (mode === 'drain') {
  await recorder.close()
  await db.close()
} else {
  for (let n = 0; ; n++) {
    const id = ids.next('usage_')
    recorder.record(usageEvent({ id }))
    while (!acknowledge(id)) await turn()
    if (n % 10 === 0) await turn()
  }
}

/** False when the reader has to catch up first. */
function acknowledge(id: string): boolean {
  try {
    return writeSync(1, `${id}\n`) > 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false
    throw error
  }
}
