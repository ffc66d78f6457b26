// Run by the crash test and killed by it: adds owners, removes some, writes indexes all the time, and tells each step.
import '@atoll/testkit/keep-compiled'
import { randomInt } from 'node:crypto'
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '@atoll/testkit/silent-log'
import { systemClock } from '../../clock/clock.ts'
import { openDatabase } from '../../db/open.ts'
import { createIds } from '../../ids/ids.ts'
import { createVectors } from '../create-vectors.ts'
import { chunksFrom } from './directions.ts'

/** `added` and `removed` are acknowledged; an owner in `begun` may be either until one of them follows. */
export type Step = { added: number } | { begun: number } | { removed: number }

const chunksPerOwner = 25
const [, , folder, firstOwner] = process.argv
if (!folder) throw new Error('usage: crash-child.ts <folder> <first owner>')
const db = await openDatabase({ kind: 'sqlite', folder }, { log: silentLog })
const vectors = createVectors({
  db,
  ids: createIds(systemClock),
  log: silentLog,
  folder: join(folder, 'vectors'),
  settings: { indexFrom: 50 },
})
vectors.start()

// Straight to the pipe: what was told before the kill has been told.
const tell = (step: Step) => writeSync(1, `${JSON.stringify(step)}\n`)

for (let owner = Number(firstOwner); ; owner++) {
  const name = `owner${owner}`
  const chunks = chunksFrom(owner * chunksPerOwner, chunksPerOwner)
  tell({ begun: owner })
  // In two halves, as a file that arrives by and by.
  for (const end of [10, chunksPerOwner]) {
    await db.transaction((tx) => vectors.add(tx, 'vs', name, chunks.slice(0, end)))
  }
  tell({ added: owner })
  if (owner % 3 === 0) void vectors.settle('vs').catch(() => {})
  if (randomInt(4) > 0) continue
  tell({ begun: owner })
  await db.transaction((tx) => vectors.removeOwners(tx, 'vs', [name]))
  tell({ removed: owner })
}
