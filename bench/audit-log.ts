// An administrative change with its entry in the audit log, against the same change alone.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKernel } from '@atoll/kernel/create-kernel'
import type { Kernel } from '@atoll/kernel/kernel'
import { AuditLog } from '@atoll/platform/audit/audit-log'
import type { Actor } from '@atoll/platform/identity/actor'
import { createIdentity, type Identity } from '@atoll/platform/identity/identity'
import { platformMigrations } from '@atoll/platform/migrations/migrations'
import { silentLog } from '@atoll/testkit/silent-log'
import { median, spreadPercent } from './measure.ts'

const runs = 3
const blocks = 20
const changesPerBlock = 40
const warmUpChanges = 100
const goal = 1.3

/** Makes one change: each in an organization of its own, on one database. */
type Change = (number: number) => Promise<unknown>

export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-audit-'))
  const config = { data: folder, database: { poolSize: 4 }, blobs: {} }
  const kernel = await createKernel({ config, log: silentLog, migrations: platformMigrations })
  const audit = new AuditLog(kernel)
  const identity = createIdentity({ ...kernel, audit })
  try {
    for (const admins of [1, 16]) await compare(kernel, { audit, identity, admins })
  } finally {
    await identity.close()
    await kernel.close()
    await rm(folder, { recursive: true })
  }
}

interface Compared {
  audit: AuditLog
  identity: Identity
  admins: number
}

async function compare(kernel: Kernel, { audit, identity, admins }: Compared): Promise<void> {
  const alone = await newChange(kernel, identity)
  const audited = await newChange(kernel, identity, audit)
  for (const change of [alone, audited]) await timed(change, admins, warmUpChanges)
  const ratios: number[] = []
  console.log(`  ${admins === 1 ? '1 admin' : `${admins} admins at once`}, ${blocks * changesPerBlock} changes each`)
  for (let run = 1; run <= runs; run++) {
    const { aloneMs, auditedMs } = await oneRun(alone, audited, admins)
    const ratio = auditedMs / aloneMs
    ratios.push(ratio)
    console.log(
      `    run ${run}: alone ${aloneMs.toFixed(3)} ms, with its entry ${auditedMs.toFixed(3)} ms a change: ${ratio.toFixed(2)}`,
    )
  }
  const verdict = median(ratios) <= goal ? 'reached' : 'missed'
  console.log(`    ratio ${median(ratios).toFixed(2)} ± ${spreadPercent(ratios)} % (goal at most ${goal}: ${verdict})`)
}

/** Blocks take turns, so that what else the machine does falls on both. Medians of the blocks. */
async function oneRun(alone: Change, audited: Change, admins: number) {
  const times = { alone: [] as number[], audited: [] as number[] }
  for (let block = 0; block < blocks; block++) {
    times.alone.push(await timed(alone, admins, changesPerBlock))
    times.audited.push(await timed(audited, admins, changesPerBlock))
  }
  return { aloneMs: median(times.alone), auditedMs: median(times.audited) }
}

/** Milliseconds a change. */
async function timed(change: Change, admins: number, changes: number): Promise<number> {
  const begun = performance.now()
  let next = 0
  const work = async (): Promise<void> => {
    while (next < changes) await change(next++)
  }
  await Promise.all(Array.from({ length: admins }, work))
  return (performance.now() - begun) / changes
}

/** Renames a project of a new organization. With `audit`, that has an audit log. */
async function newChange({ ids }: Kernel, identity: Identity, audit?: AuditLog): Promise<Change> {
  const person = { name: 'Ada', email: `${ids.secret(12)}@example.com` }
  const { organization, owner } = await identity.organizations.create('Bench', person)
  const { id: keyId } = await identity.adminKeys.create(organization.id, { userId: owner.id, name: 'bench' })
  const by: Actor = {
    type: 'api_key',
    keyId,
    owner: { type: 'user', userId: owner.id },
    address: '127.0.0.1',
    userAgent: 'bench',
  }
  await audit?.activate(by, organization.id)
  const { projects } = identity.as(by)
  const project = await projects.create(organization.id, { name: 'bench', creatorId: owner.id })
  return (number) => projects.rename(organization.id, project.id, `name ${number}`)
}
