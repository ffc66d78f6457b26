// Run by the crash test and killed by it: keeps, joins and releases blobs, and tells each step before and after.
import '@atoll/testkit/keep-compiled'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { silentLog } from '@atoll/testkit/silent-log'
import { systemClock } from '../../clock/clock.ts'
import { openDatabase } from '../../db/open.ts'
import { createIds } from '../../ids/ids.ts'
import { createLocalDisk } from '../local-disk.ts'
import { createSegments } from '../segments.ts'

/** `kept` and `gone` are acknowledged; an owner in `begun` may be either until one of them follows. */
export type Step = { kept: string; md5: string } | { begun: string[] } | { gone: string }

const lanes = 4
const folder = process.argv[2]
if (!folder) throw new Error('usage: crash-child.ts <folder>')
const ids = createIds(systemClock)
const db = await openDatabase({ kind: 'sqlite', folder: join(folder, 'db') }, { log: silentLog })
const blobs = await createLocalDisk(join(folder, 'blobs'), systemClock, ids)
const segments = createSegments({ db, blobs, log: silentLog })

// Straight to the pipe: what was told before the kill has been told.
const tell = (step: Step) => writeSync(1, `${JSON.stringify(step)}\n`)
const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')

async function keepPart(): Promise<{ owner: string; content: Buffer }> {
  const owner = ids.next('part_')
  const content = randomBytes(randomInt(300_000))
  const half = content.length >> 1
  const source = Readable.from([content.subarray(0, half), content.subarray(half)])
  const blob = await blobs.write(source, { maxBytes: content.length })
  await db.transaction((tx) => segments.keep(tx, owner, [blob]))
  tell({ kept: owner, md5: md5(content) })
  return { owner, content }
}

async function work(): Promise<never> {
  for (;;) {
    const parts = [await keepPart(), await keepPart()]
    const owners = parts.map(({ owner }) => owner)
    const file = ids.next('file_')
    tell({ begun: owners })
    await db.transaction((tx) => segments.join(tx, owners, file))
    tell({ kept: file, md5: md5(Buffer.concat(parts.map(({ content }) => content))) })
    for (const owner of owners) tell({ gone: owner })
    if (randomInt(2) === 0) continue
    tell({ begun: [file] })
    await db.transaction((tx) => segments.release(tx, [file]))
    tell({ gone: file })
  }
}

await Promise.all(Array.from({ length: lanes }, work))
