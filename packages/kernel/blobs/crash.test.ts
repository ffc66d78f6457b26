import { spawn } from 'node:child_process'
import { createHash, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { systemClock } from '../clock/clock.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import { createIds } from '../ids/ids.ts'
import { createLocalDisk } from './local-disk.ts'
import { blobMigrations, createSegments } from './segments.ts'
import { missing, sweep } from './sweep.ts'
import { keysIn } from './testing/blob-fixtures.ts'
import type { Step } from './testing/crash-child.ts'

const rounds = process.env.ATOLL_TEST_LONG === '1' ? 50 : 3
const child = fileURLToPath(new URL('./testing/crash-child.ts', import.meta.url))

/** What must be there, with its digest, and what must not. Owners in between are in neither. */
class Acknowledged {
  readonly kept = new Map<string, string>()
  readonly gone = new Set<string>()

  hear(step: Step): void {
    if ('kept' in step) this.kept.set(step.kept, step.md5)
    else if ('gone' in step) this.gone.add(step.gone)
    else for (const owner of step.begun) this.kept.delete(owner)
  }
}

/** Lets the child tell `steps` steps, kills it at once, and hears what it had still told. */
async function runAndKill(folder: string, steps: number, heard: Acknowledged): Promise<void> {
  const running = spawn(process.execPath, [child, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(running, 'exit')
  let told = 0
  for await (const line of createInterface(running.stdout)) {
    heard.hear(JSON.parse(line))
    if (++told === steps) running.kill('SIGKILL')
  }
  expect(await exited).toEqual([null, 'SIGKILL'])
}

async function openAfter(folder: string) {
  const db = await openDatabase({ kind: 'sqlite', folder: join(folder, 'db') }, { log: silentLog })
  await migrate(db, blobMigrations)
  const blobs = await createLocalDisk(join(folder, 'blobs'), systemClock, createIds(systemClock))
  return { db, blobs, segments: createSegments({ db, blobs, log: silentLog }) }
}

it(`keeps every acknowledged blob whole and leaves no orphan, killed ${rounds} times`, {
  timeout: 60_000 + rounds * 20_000,
}, async () => {
  const folder = await tempDir()
  await mkdir(join(folder, 'db'))
  await (await openAfter(folder)).db.close()
  const heard = new Acknowledged()
  let orphans = 0
  for (let round = 0; round < rounds; round++) {
    await runAndKill(folder, randomInt(1, 120), heard)
    const { db, blobs, segments } = await openAfter(folder)
    expect(await missing({ db, blobs })).toEqual([])
    orphans += (await sweep({ db, blobs, clock: systemClock, log: silentLog, graceMs: 0 })).removed
    const rows = await db.queries.selectFrom('blob_segments').selectAll().execute()
    expect(await keysIn(blobs)).toEqual(rows.map(({ key }) => key).sort())
    expect(await missing({ db, blobs })).toEqual([])
    const owners = new Set(rows.map(({ owner }) => owner))
    for (const owner of heard.gone) expect(owners).not.toContain(owner)
    for (const [owner, md5] of heard.kept) {
      const content = await buffer(segments.read(await segments.of(db.queries, owner)))
      expect(createHash('md5').update(content).digest('hex')).toBe(md5)
    }
    await db.close()
  }
  expect(heard.kept.size).toBeGreaterThan(0)
  console.log(`${rounds} kills: ${heard.kept.size} acknowledged owners whole, ${orphans} orphans swept`)
})
