import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Queries } from '@atoll/kernel/db/database'
import { migrate } from '@atoll/kernel/db/migrate'
import { type DatabaseTarget, openDatabase } from '@atoll/kernel/db/open'
import { describeBothTargets } from '@atoll/testkit/both-targets'
import { silentLog } from '@atoll/testkit/silent-log'
import { expect, it } from 'vitest'
import { foundAcme, identityOn, identityTables } from '../identity/testing/identity-fixture.ts'
import { AuditLog } from './audit-log.ts'
import { verifyLog } from './verify.ts'

const rounds = process.env.ATOLL_TEST_LONG === '1' ? 50 : 2
const longestLifeMs = 500
const program = fileURLToPath(new URL('./testing/crash-child.ts', import.meta.url))

/** Kills the admins at a random moment. Returns what was acknowledged to them: `project.created proj_…`. */
async function runAndKill(target: DatabaseTarget, args: string[]): Promise<string[]> {
  const env = { ...process.env, ATOLL_TEST_TARGET: JSON.stringify(target) }
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  await Promise.race([once(child.stdout, 'data'), closed])
  setTimeout(() => child.kill('SIGKILL'), randomInt(longestLifeMs))
  expect(await closed).toEqual([null, 'SIGKILL'])
  return output.split('\n').slice(0, -1) // the kill may cut the last line
}

async function founded(target: DatabaseTarget) {
  const db = await openDatabase(target, { log: silentLog })
  await migrate(db, identityTables)
  const fixture = identityOn(db)
  const { organizationId, ada, defaultProject, keyId } = await foundAcme(fixture.identity)
  await new AuditLog(fixture).activate({ type: 'system' }, organizationId)
  await fixture.identity.close()
  await db.close()
  return { organizationId, userId: ada.id, projectId: defaultProject.id, keyId }
}

const recorded = async (queries: Queries): Promise<string[]> => {
  const rows = await queries.selectFrom('audit_logs').select(['type', 'resource_id']).execute()
  return rows.map(({ type, resource_id }) => `${type} ${resource_id}`)
}

/** What there is to see of the changes themselves. */
async function made(queries: Queries, firstKeyId: string): Promise<string[]> {
  const projects = await queries.selectFrom('projects').select(['id', 'status']).where('is_default', '=', 0).execute()
  const accounts = await queries.selectFrom('service_accounts').select('id').execute()
  const keys = await queries.selectFrom('api_keys').select('id').where('kind', '=', 'project').execute()
  return [
    ...projects.map(({ id }) => `project.created ${id}`),
    ...projects.filter(({ status }) => status === 'archived').map(({ id }) => `project.archived ${id}`),
    ...accounts.map(({ id }) => `service_account.created ${id}`),
    ...keys.filter(({ id }) => id !== firstKeyId).map(({ id }) => `api_key.created ${id}`),
  ]
}

/** Keys that were deleted leave nothing to see. */
const withoutEndedKeys = (lines: string[]): string[] => {
  const ended = new Set(lines.flatMap((line) => (line.startsWith('api_key.deleted ') ? [line.split(' ')[1]] : [])))
  return lines.filter((line) => !line.startsWith('api_key.') || !ended.has(line.split(' ')[1]))
}

describeBothTargets('changes of admins whose server is killed', (newTarget) => {
  it(`have exactly one entry each, every entry has its change, and the chain holds (${rounds} rounds of kill -9)`, {
    timeout: 60_000 + rounds * 20_000,
  }, async () => {
    const target = await newTarget()
    const { organizationId, userId, projectId, keyId } = await founded(target)
    const acknowledged: string[] = []
    for (let round = 0; round < rounds; round++) {
      acknowledged.push(...(await runAndKill(target, [organizationId, userId, projectId])))
    }
    const db = await openDatabase(target, { log: silentLog })
    try {
      const entries = (await recorded(db.queries)).filter((line) => !line.startsWith('organization.'))
      const known = new Set(entries)
      expect(known.size).toBe(entries.length)
      expect(acknowledged.filter((line) => !known.has(line))).toEqual([])
      expect(withoutEndedKeys(entries).sort()).toEqual((await made(db.queries, keyId)).sort())
      expect(await verifyLog(db.queries, organizationId)).toMatchObject({ intact: true, entries: entries.length + 1 })
      expect(acknowledged.length).toBeGreaterThanOrEqual(rounds)
      console.info(`audit, kill -9: ${rounds} rounds, ${acknowledged.length} changes acknowledged, each with its entry`)
    } finally {
      await db.close()
    }
  })
})
