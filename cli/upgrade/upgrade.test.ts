// ./atoll upgrade --check on data of an older version, of this one and of a newer one; and what `up` does with each.
import { migrate } from '@atoll/kernel/db/migrate'
import type { Migration } from '@atoll/kernel/db/migration'
import { openDatabase } from '@atoll/kernel/db/open'
import { kernelMigrations } from '@atoll/kernel/kernel-migrations'
import { describeBothTargets } from '@atoll/testkit/both-targets'
import { silentLog } from '@atoll/testkit/silent-log'
import { dataDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { runAtoll } from '../run-atoll.ts'
import { migrationsOf } from '../up/migrations.ts'
import { version } from '../version.ts'

const slowMs = 120_000

describeBothTargets('./atoll upgrade --check', (newTarget) => {
  const place = async () => {
    const target = await newTarget()
    const data = target.kind === 'sqlite' ? target.folder : await dataDir()
    const flags = ['--data', data, ...(target.kind === 'postgres' ? ['--database', target.url] : [])]
    /** As a version that knows these steps leaves the data. */
    const leaveWith = async (steps: readonly Migration[]) => {
      const db = await openDatabase(target, { log: silentLog })
      await migrate(db, [...kernelMigrations, ...steps]).finally(() => db.close())
    }
    return { flags, leaveWith, check: (...more: string[]) => runAtoll(['upgrade', '--check', ...flags, ...more]) }
  }

  it(
    'says of a place without data that the first start makes them, and makes nothing',
    async () => {
      const { check } = await place()
      const { code, out } = await check()
      expect(out).toContain(`Atoll ${version()}, a checkout in `)
      expect(out).toContain('The first start makes the database.')
      expect(code).toBe(0)
    },
    slowMs,
  )

  it(
    'tells data of an older version, of this one and of a newer one apart',
    async () => {
      const { check, flags, leaveWith } = await place()
      const steps = await migrationsOf(['platform'])
      await leaveWith(steps.slice(0, -1))
      const older = await check()
      expect(older.out).toContain(`This version can serve it. Its first start migrates: ${steps.at(-1)?.name}.`)
      expect(older.code).toBe(0)

      await startOnce(flags)
      const same = await check()
      expect(same.out).toContain('This version serves it as it is: nothing is to be migrated.')
      expect(same.code).toBe(0)

      await leaveWith([...steps, { name: 'platform/9999-of-tomorrow', up: async () => {} }])
      const newer = await check('--json')
      expect(newer.code).toBe(1)
      expect(JSON.parse(newer.out)).toMatchObject({
        ...{ version: version(), can_serve: false, pending: [], unknown: ['platform/9999-of-tomorrow'] },
        problem: expect.stringContaining('written by a newer Atoll'),
      })
      const started = await runAtoll(['up', ...flags, '--port', '0', '--only', 'platform'])
      expect(started).toMatchObject({ code: 1, out: '' })
      expect(started.err).toContain(
        'Atoll did not start: the database was written by a newer Atoll: it holds platform/9999-of-tomorrow',
      )
    },
    slowMs,
  )
})

it('says without --check how to get another version, and does nothing', async () => {
  const { code, err } = await runAtoll(['upgrade'])
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('git pull, then ./atoll up') })
})

async function startOnce(flags: string[]): Promise<void> {
  const { code, out, err } = await runAtoll(['up', ...flags, '--port', '0', '--only', 'platform', '--detach'])
  expect({ code, err }, out).toEqual({ code: 0, err: '' })
  expect(await runAtoll(['stop', ...flags.slice(0, 2)])).toMatchObject({ code: 0 })
}
