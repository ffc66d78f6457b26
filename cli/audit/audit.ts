// Proves from the database alone that no audit log was tampered with.
import { readFile } from 'node:fs/promises'
import { ConfigError } from '@atoll/kernel/config/config-error'
import { appliedMigrations } from '@atoll/kernel/db/applied-migrations'
import { openToRead } from '@atoll/kernel/db/open-to-read'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import { redact } from '@atoll/kernel/telemetry/redaction'
import { loadAtollConfig } from '../config.ts'
import { type ChainState, holdAgainst, verifyAll } from './chains.ts'
import { auditReport } from './report.ts'

interface VerifyFlags {
  data?: string
  config?: string
  database?: string
  against?: string
  json?: boolean
}

export async function verifyAudit({ config: file, against, json, ...flags }: VerifyFlags): Promise<void> {
  try {
    const earlier = against === undefined ? [] : await readEarlier(against)
    const states = await statesOf(file, flags, earlier)
    process.stdout.write(json ? `${JSON.stringify(states, null, 2)}\n` : auditReport(states))
    process.exitCode = states.every(({ intact }) => intact) ? 0 : 1
  } catch (error) {
    process.stderr.write(`${redact(reason(error))}\n`)
    process.exitCode = 1
  }
}

async function statesOf(
  file: string | undefined,
  flags: Record<string, string | undefined>,
  earlier: ChainState[],
): Promise<ChainState[]> {
  const { data, database } = await loadAtollConfig({ file, env: process.env, flags })
  const { url } = database
  const target = url === undefined ? { kind: 'sqlite' as const, folder: data } : { kind: 'postgres' as const, url }
  const { queries, close } = await openToRead(target, { log: createLog({ level: 'error' }) })
  try {
    const applied = await appliedMigrations(queries)
    if (!applied.has('kernel/0005-audit')) throw new Error('This database is from before audit logs were chained.')
    const states = await verifyAll(queries, { hasPlatform: applied.has('platform/0014-audit') })
    return await holdAgainst(queries, states, earlier)
  } finally {
    await close()
  }
}

async function readEarlier(path: string): Promise<ChainState[]> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new Error(`--against: ${path} cannot be read.`)
  })
  const states = parsed(text)
  if (Array.isArray(states) && states.every(isState)) return states
  throw new Error(`--against: ${path} is not what ./atoll audit verify --json writes.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isState = (value: unknown): value is ChainState =>
  typeof value === 'object' &&
  value !== null &&
  'chain' in value &&
  typeof value.chain === 'string' &&
  'entries' in value &&
  Number.isSafeInteger(value.entries)

function reason(error: unknown): string {
  if (error instanceof ConfigError) return `The configuration is wrong.\n  ${error.problems.join('\n  ')}`
  return `atoll: ${error instanceof Error ? error.message : String(error)}`
}
