// ./atoll upgrade --check: what is installed, what the data need, and whether the two go together. Asks no other machine.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { appliedMigrations } from '@atoll/kernel/db/applied-migrations'
import type { Migration } from '@atoll/kernel/db/migration'
import type { DatabaseTarget } from '@atoll/kernel/db/open'
import { openToRead } from '@atoll/kernel/db/open-to-read'
import { ownerOf, refusal, type SchemaState, schemaState } from '@atoll/kernel/db/schema-state'
import { kernelMigrations } from '@atoll/kernel/kernel-migrations'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import { configOf, databaseOf, type PlaceFlags } from '../backup/places.ts'
import { CommandProblem, telling } from '../command-problem.ts'
import { serviceNames } from '../config.ts'
import { databasePlace } from '../database-place.ts'
import { migrationsOf } from '../up/migrations.ts'
import { databaseReason } from '../up/start-failure.ts'
import { version } from '../version.ts'
import { installation } from './installation.ts'

interface UpgradeFlags extends PlaceFlags {
  check?: boolean
  json?: boolean
}

interface Report extends SchemaState {
  version: string
  installed: string
  data: string
  /** Steps that the data have taken, of each owner's. */
  steps: { owner: string; taken: number; known: number }[]
  can_serve: boolean
  problem?: string
  newer: string
}

export const upgrade = ({ check = false, json = false, ...flags }: UpgradeFlags): Promise<void> =>
  telling(async () => {
    const { how, where, newer } = installation()
    if (!check) throw new CommandProblem(`./atoll upgrade --check tells what an upgrade would do. To get it: ${newer}`)
    const config = await configOf(flags)
    const applied = await appliedIn(databaseOf(config))
    // A service that has never been started here makes its tables by itself, whatever the version.
    const services = serviceNames.filter((name) => [...applied].some((step) => ownerOf(step) === name))
    const migrations = [...kernelMigrations, ...(await migrationsOf(services))]
    const state = schemaState(applied, migrations)
    const problem = refusal(state)
    const { url } = config.database
    const report: Report = {
      ...{ version: version(), installed: `${how} in ${where}`, ...state },
      data: url === undefined ? config.data : databasePlace(url),
      steps: stepsOf(applied, migrations),
      ...(problem === undefined ? { can_serve: true } : { can_serve: false, problem }),
      newer,
    }
    process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : textOf(report))
    process.exitCode = report.can_serve ? 0 : 1
  })

/** None where nothing has been started yet. */
async function appliedIn(target: DatabaseTarget): Promise<Set<string>> {
  if (target.kind === 'sqlite' && !existsSync(join(target.folder, 'atoll.db'))) return new Set()
  const told = (error: unknown): never => {
    const url = target.kind === 'postgres' ? target.url : undefined
    const why = error instanceof Error ? databaseReason(error, url) : undefined
    throw why === undefined ? error : new CommandProblem(why)
  }
  const { queries, close } = await openToRead(target, { log: createLog({ level: 'error' }) }).catch(told)
  try {
    return await appliedMigrations(queries)
  } catch (error) {
    return isEmptyDatabase(error) ? new Set() : told(error)
  } finally {
    await close()
  }
}

const undefinedTable = '42P01'
const isEmptyDatabase = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as NodeJS.ErrnoException).code === undefinedTable || /no such table: migrations/.test(error.message))

function stepsOf(applied: ReadonlySet<string>, migrations: readonly Migration[]): Report['steps'] {
  const owners = new Set(migrations.map(({ name }) => ownerOf(name)))
  return [...owners].map((owner) => ({
    owner,
    taken: [...applied].filter((name) => ownerOf(name) === owner).length,
    known: migrations.filter(({ name }) => ownerOf(name) === owner).length,
  }))
}

function textOf({ version, installed, data, steps, pending, problem, newer }: Report): string {
  const isNew = steps.every(({ taken }) => taken === 0)
  const schema = steps.map(({ owner, taken, known }) => `${owner} ${taken} of ${known}`).join(', ')
  return [
    `Atoll ${version}, ${installed}`,
    `Data: ${data}${isNew ? ', where nothing is yet' : ''}`,
    ...(isNew ? [] : [`Steps of the schema: ${schema}`]),
    ...verdict(isNew, problem, pending),
    `A newer version: ${newer}`,
    '',
  ].join('\n')
}

function verdict(isNew: boolean, problem: string | undefined, pending: readonly string[]): string[] {
  if (problem !== undefined) return [`This version cannot serve it: ${problem}.`]
  if (isNew) return ['The first start makes the database.']
  if (pending.length === 0) return ['This version serves it as it is: nothing is to be migrated.']
  return [
    `This version can serve it. Its first start migrates: ${pending.join(', ')}.`,
    'Older versions refuse to start afterwards: make a backup first (./atoll backup FOLDER).',
  ]
}
