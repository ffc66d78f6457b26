// Admins for the crash test to kill: they change things without pause, and print each change that was acknowledged.
import '@atoll/testkit/keep-compiled'
import { writeSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { systemClock } from '@atoll/kernel/clock/clock'
import { type DatabaseTarget, openDatabase } from '@atoll/kernel/db/open'
import { createInProcessEvents } from '@atoll/kernel/events/in-process'
import { createIds } from '@atoll/kernel/ids/ids'
import { silentLog } from '@atoll/testkit/silent-log'
import { createIdentity } from '../../identity/identity.ts'
import { AuditLog } from '../audit-log.ts'
import type { AuditType } from '../change.ts'

const admins = 3
const target = JSON.parse(process.env.ATOLL_TEST_TARGET ?? '') as DatabaseTarget
const [organizationId = '', userId = '', projectId = ''] = process.argv.slice(2)
const ids = createIds(systemClock)
const db = await openDatabase(target, { log: silentLog })
const audit = new AuditLog({ db, ids, clock: systemClock })
const events = createInProcessEvents(db, silentLog)
const identity = createIdentity({ db, ids, clock: systemClock, log: silentLog, events, audit })

for (let admin = 0; admin < admins; admin++) void administer(admin)

async function administer(admin: number): Promise<never> {
  const owner = { type: 'user' as const, userId }
  const by = identity.as({ type: 'api_key', keyId: `key_${admin}`, owner, address: '127.0.0.1', userAgent: null })
  for (;;) {
    const project = await by.projects.create(organizationId, { name: 'p', creatorId: userId })
    await tell('project.created', project.id)
    const key = await by.projectKeys.create(organizationId, projectId, { userId, name: 'k' })
    await tell('api_key.created', key.id)
    await by.projectKeys.remove(organizationId, projectId, key.id)
    await tell('api_key.deleted', key.id)
    await by.projects.archive(organizationId, project.id)
    await tell('project.archived', project.id)
    const { account } = await by.serviceAccounts.create(organizationId, projectId, 'bot')
    await tell('service_account.created', account.id)
  }
}

async function tell(type: AuditType, id: string): Promise<void> {
  while (!written(`${type} ${id}\n`)) await turn()
}

/** False when the reader has to catch up first. */
function written(line: string): boolean {
  try {
    return writeSync(1, line) > 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false
    throw error
  }
}
