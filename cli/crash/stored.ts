// Looks at a data folder from outside, beside a server at rest or after its end: the rows and the blobs must agree.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createLocalDisk } from '@atoll/kernel/blobs/local-disk'
import { missing } from '@atoll/kernel/blobs/sweep'
import { systemClock } from '@atoll/kernel/clock/clock'
import { openDatabase } from '@atoll/kernel/db/open'
import { createIds } from '@atoll/kernel/ids/ids'
import { silentLog } from '@atoll/testkit/silent-log'

/** Each query finds rows that must not be: what is wrong, and where. */
const tornRows: Record<string, string> = {
  'a segment without an owner': `select owner from blob_segments where owner not in (select id from files)
    and owner not in (select id from upload_parts)`,
  'a file whose segments are not its bytes': `select id from files where bytes !=
    coalesce((select sum(s.bytes) from blob_segments s where s.owner = files.id), -1)`,
  'a part whose segments are not its bytes': `select id from upload_parts where bytes !=
    coalesce((select sum(s.bytes) from blob_segments s where s.owner = upload_parts.id), -1)`,
  'segments with a gap': `select owner from blob_segments group by owner having max(ordinal) != count(*) - 1`,
  'a part of an upload that ended': `select p.id from upload_parts p join uploads u on u.id = p.upload_id
    where u.status != 'pending'`,
  'a wrong sum of storage': `select organization_id || ': ' || bytes from organization_storage o where bytes !=
    (select coalesce(sum(bytes), 0) from files f where f.organization_id = o.organization_id) +
    (select coalesce(sum(bytes), 0) from uploads u where u.organization_id = o.organization_id and status = 'pending')`,
  'storage that is not counted': `select id from files where organization_id not in
    (select organization_id from organization_storage)`,
  'a service account without its one key': `select id from service_accounts a where 1 !=
    (select count(*) from api_keys k where k.service_account_id = a.id)`,
  'a key that is valid and revoked': 'select id from api_keys where digest in (select digest from revoked_keys)',
  'not exactly one organization': 'select count(*) from organizations having count(*) != 1',
  'a broken reference': 'select "table" || rowid from pragma_foreign_key_check',
  'a damaged database': `select integrity_check from pragma_integrity_check where integrity_check != 'ok'`,
}

export class Stored {
  readonly #folder: string
  readonly #db: DatabaseSync

  constructor(folder: string) {
    this.#folder = folder
    this.#db = new DatabaseSync(join(folder, 'atoll.db'), { readOnly: true })
  }

  torn(): string[] {
    return Object.entries(tornRows).flatMap(([what, query]) =>
      this.#db
        .prepare(query)
        .all()
        .map((row) => `${what}: ${Object.values(row)[0]}`),
    )
  }

  /** Blobs that no segment refers to, finished or half-way. */
  orphans(): string[] {
    const known = new Set(this.#column('select key from blob_segments'))
    return this.#blobs()
      .filter(([folder, key]) => folder === 'incoming' || !known.has(key))
      .map((path) => path.join('/'))
  }

  /** Segments whose blob is not there, or not whole. */
  damaged(): string[] {
    const sizes = new Map(
      this.#blobs().map(([folder, key]) => [key, statSync(join(this.#folder, 'blobs', folder, key)).size]),
    )
    const rows = this.#db.prepare('select key, bytes from blob_segments').all() as { key: string; bytes: number }[]
    return rows
      .filter(({ key, bytes }) => sizes.get(key) !== bytes)
      .map(({ key, bytes }) => `${key}: ${sizes.get(key)} of ${bytes}`)
  }

  uploads(): Map<string, string> {
    const rows = this.#db.prepare('select id, status from uploads').all() as { id: string; status: string }[]
    return new Map(rows.map(({ id, status }) => [id, status]))
  }

  parts(): Set<string> {
    return new Set(this.#column('select id from upload_parts'))
  }

  close(): void {
    this.#db.close()
  }

  #column(query: string): string[] {
    return this.#db
      .prepare(query)
      .all()
      .map((row) => String(Object.values(row)[0]))
  }

  #blobs(): [folder: string, key: string][] {
    const folders = readdirSync(join(this.#folder, 'blobs'))
    return folders.flatMap((folder) =>
      readdirSync(join(this.#folder, 'blobs', folder)).map((key): [string, string] => [folder, key]),
    )
  }
}

/** As the product itself sees it, with no server running: segments whose blob is absent or of another size. */
export async function damagedSegments(folder: string): Promise<string[]> {
  const db = await openDatabase({ kind: 'sqlite', folder }, { log: silentLog })
  try {
    const blobs = await createLocalDisk(join(folder, 'blobs'), systemClock, createIds(systemClock))
    return (await missing({ db, blobs })).map(({ key, bytes, foundBytes }) => `${key}: ${foundBytes} of ${bytes}`)
  } finally {
    await db.close()
  }
}
