// A secret is shown once and then found nowhere: not in the database, not in its files, not in a log line, not in an error.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '@atoll/kernel/db/database'
import { migrate } from '@atoll/kernel/db/migrate'
import { openDatabase } from '@atoll/kernel/db/open'
import type { Log } from '@atoll/kernel/telemetry/log'
import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import { ensureFirstIdentity } from './first-start.ts'
import { bearer, type Fixture, foundAcme, identityOn, identityTables } from './testing/identity-fixture.ts'

function recordingLog(lines: string[]): Log {
  const record = (fields: object, message: string) =>
    void lines.push(
      `${message} ${JSON.stringify(fields, (_, value) => (value instanceof Error ? String(value.stack) : value))}`,
    )
  const log: Log = { debug: record, info: record, warn: record, error: record, child: () => log }
  return log
}

/** One secret of every kind, given, drawn and used. */
async function makeSecrets({ db, clock, ids, identity }: Fixture): Promise<string[]> {
  const first = await ensureFirstIdentity({ db, clock, ids }, { apiKey: 'an-adopted-key-of-the-operator' })
  const { organizationId, defaultProject, ada, secret, keyId } = await foundAcme(identity)
  const bot = await identity.serviceAccounts.create(organizationId, defaultProject.id, 'bot')
  const legacy = await identity.userKeys.create({ userId: ada.id, name: 'legacy' })
  const admin = await identity.adminKeys.create(organizationId, { userId: ada.id, name: 'admin' })
  for (const key of [secret, bot.key.secret, legacy.secret]) await identity.authenticate(bearer(key), 'project')
  await identity.projectKeys.remove(organizationId, defaultProject.id, keyId)
  await identity.flushLastUsed()
  return [secret, bot.key.secret, legacy.secret, admin.secret, first.adminKey ?? '', 'an-adopted-key-of-the-operator']
}

/** Long enough to find nothing by chance, short enough to find a part of a secret. */
const middleOf = (secret: string) => secret.slice(12, 28)

async function everyRow(db: Database): Promise<string> {
  const tables = ['organizations', 'users', 'projects', 'service_accounts', 'api_keys', 'revoked_keys'] as const
  const rows = await Promise.all(tables.map((table) => db.queries.selectFrom(table).selectAll().execute()))
  return JSON.stringify(rows)
}

describeBothDatabases('secrets', (open) => {
  it('are in no row, no log line and no error', async () => {
    const lines: string[] = []
    const fixture = identityOn(await open(identityTables), { log: recordingLog(lines) })
    const secrets = await makeSecrets(fixture)
    const errors: string[] = []
    for (const secret of secrets) {
      const nearly = `${secret.slice(0, -1)}~`
      await fixture.identity
        .authenticate(bearer(nearly), 'project')
        .catch((error: Error) => errors.push(`${error.stack} ${JSON.stringify(error)}`))
    }
    expect(errors).toHaveLength(secrets.length)
    const rows = await everyRow(fixture.db)
    expect(rows).toContain('sk-svcacct-')

    await fixture.identity.authenticate(bearer(secrets[1] ?? ''), 'project')
    await fixture.db.close()
    await fixture.identity.flushLastUsed()
    expect(lines).toHaveLength(1)
    for (const secret of secrets) {
      expect(middleOf(secret)).toHaveLength(16)
      for (const text of [rows, ...errors, ...lines]) expect(text).not.toContain(middleOf(secret))
    }
  })
})

describe('secrets on SQLite', () => {
  it('are in no byte of the database files', async () => {
    const folder = await tempDir()
    const db = await openDatabase({ kind: 'sqlite', folder }, { log: silentLog })
    await migrate(db, identityTables)
    const fixture = identityOn(db)
    const secrets = await makeSecrets(fixture)
    const before = await bytesOf(folder)
    await fixture.identity.close()
    await db.close()
    const after = await bytesOf(folder)
    expect(before.includes('ada@example.com')).toBe(true)
    expect(after.includes('ada@example.com')).toBe(true)
    for (const secret of secrets) {
      expect(before.includes(middleOf(secret))).toBe(false)
      expect(after.includes(middleOf(secret))).toBe(false)
    }
  })
})

/** The database, its write-ahead log and whatever else lies there. */
async function bytesOf(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Buffer.concat(await Promise.all(files.map((file) => readFile(file))))
}
