// `./atoll audit verify` as a person runs it, beside a server that is running.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { AuditChain } from '@atoll/kernel/audit/audit-chain'
import { createKernel } from '@atoll/kernel/create-kernel'
import type { DatabaseTarget } from '@atoll/kernel/db/open'
import { AuditLog } from '@atoll/platform/audit/audit-log'
import { createIdentity } from '@atoll/platform/identity/identity'
import { platformMigrations } from '@atoll/platform/migrations/migrations'
import { describeBothTargets } from '@atoll/testkit/both-targets'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it, onTestFinished } from 'vitest'
import { root } from '../places.ts'

interface Ended {
  code: number
  out: string
  err: string
}

const verify = (...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { ...process.env, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) }
    execFile(join(root, 'atoll'), ['audit', 'verify', ...args], { cwd: '/', env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    )
  })

/** The open database of a server with an audit log of an organization, and chains of other services. */
async function running(target: DatabaseTarget) {
  const data = target.kind === 'sqlite' ? target.folder : await tempDir()
  const url = target.kind === 'postgres' ? target.url : undefined
  const config = { data, database: { poolSize: 4, ...(url === undefined ? {} : { url }) }, blobs: {} }
  const kernel = await createKernel({ config, log: silentLog, migrations: platformMigrations })
  onTestFinished(() => kernel.close())
  const audit = new AuditLog(kernel)
  const identity = createIdentity({ ...kernel, audit })
  onTestFinished(() => identity.close())
  const { organization, owner } = await identity.organizations.create('Acme', { name: 'Ada', email: 'ada@example.com' })
  const args = ['--data', data, ...(url === undefined ? [] : ['--database', url])]
  return { kernel, audit, identity, organizationId: organization.id, creatorId: owner.id, args, data }
}

describeBothTargets('./atoll audit verify', (newTarget) => {
  it('counts the entries of every chain while the server runs, and tells which was changed or removed', async () => {
    const { kernel, audit, identity, organizationId, creatorId, args, data } = await running(await newTarget())
    const { queries } = kernel.db
    await audit.activate({ type: 'system' }, organizationId)
    for (const name of ['a', 'b', 'c']) await identity.projects.create(organizationId, { name, creatorId })
    for (const name of ['cluster', 'hooks']) await new AuditChain(kernel, name).record(undefined, { what: name })
    const intact = await verify(...args)
    expect(intact).toMatchObject({ code: 0, err: '' })
    expect(intact.out).toMatch(/^cluster +intact, 1 entry, newest [0-9a-f]{64}\nhooks +intact, 1 entry, /)
    expect(intact.out).toMatch(/\norganization:org-\w+ +intact, 4 entries, newest [0-9a-f]{64}\n\nEvery entry is there/)
    const earlier = join(data, 'earlier.json')
    await writeFile(earlier, (await verify(...args, '--json')).out)

    await queries
      .updateTable('audit_entries')
      .set({ hash: 'f'.repeat(64) })
      .where('chain', '=', 'hooks')
      .execute()
    await queries.deleteFrom('audit_entries').where('seq', '=', 3).execute()
    const broken = await verify(...args)
    expect(broken).toMatchObject({ code: 1, err: '' })
    expect(broken.out).toMatch(/^cluster +intact, 1 entry/)
    expect(broken.out).toMatch(/\nhooks +NOT INTACT: entry 1 was changed\n/)
    expect(broken.out).toMatch(/\norganization:\S+ +NOT INTACT: entry 3 was removed \(those before it, 2,/)
    expect(broken.out).toMatch(/\n2 of 3 not intact\.\n$/)

    // A chain that was written anew is whole in itself; only what was kept elsewhere tells.
    for (const table of ['audit_entries', 'audit_heads'] as const) {
      await queries.deleteFrom(table).where('chain', '=', 'cluster').execute()
    }
    await new AuditChain(kernel, 'cluster').record(undefined, { what: 'forged' })
    expect(await new AuditChain(kernel, 'cluster').verify()).toMatchObject({ intact: true })
    const against = await verify(...args, '--against', earlier, '--json')
    expect(against.code).toBe(1)
    expect(JSON.parse(against.out)).toMatchObject([
      { chain: 'cluster', intact: false, problem: 'rewritten' },
      { chain: 'hooks', intact: false, broken_at: 1, problem: 'changed' },
      { chain: `organization:${organizationId}`, intact: false, entries: 2, broken_at: 3, problem: 'removed' },
    ])
  }, 120_000)
})

describe('./atoll audit verify', () => {
  it('says what is wrong when there is no database or no earlier report to read', async () => {
    const data = await tempDir()
    expect(await verify('--data', data)).toMatchObject({
      code: 1,
      err: expect.stringContaining('there is no database in'),
    })
    const file = join(data, 'x.json')
    expect(await verify('--data', data, '--against', file)).toMatchObject({
      code: 1,
      err: expect.stringContaining('cannot be read'),
    })
    await writeFile(file, '{"chain":1}')
    expect(await verify('--data', data, '--against', file)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not what'),
    })
  }, 60_000)
})
