// Says why Atoll did not start, in a line or a few; the stack only to those who ask for it.
import { ConfigError } from '@atoll/kernel/config/config-error'
import { storageProblem } from '@atoll/kernel/db/storage-problem'
import { redact } from '@atoll/kernel/telemetry/redaction'
import type { AtollConfig } from '../config.ts'
import { databasePlace } from '../database-place.ts'

export function startFailure(
  error: unknown,
  config?: Pick<AtollConfig, 'data' | 'host' | 'log'> & Partial<Pick<AtollConfig, 'database'>>,
): string {
  if (error instanceof ConfigError) {
    return `Atoll did not start: the configuration is wrong.\n${error.problems.map((line) => `  ${line}\n`).join('')}`
  }
  const level = config?.log.level ?? process.env.ATOLL_LOG_LEVEL
  const stack = level === 'debug' && error instanceof Error ? `${redact(error.stack ?? '')}\n` : ''
  return `Atoll did not start: ${redact(reason(error, config))}\n${stack}`
}

function reason(error: unknown, config: Parameters<typeof startFailure>[1]): string {
  if (!(error instanceof Error)) return String(error)
  const database = databaseReason(error, config?.database?.url)
  if (database !== undefined) return database
  if (storageProblem(error) === 'full') return fullReason(error, config)
  const { code, port, path } = error as NodeJS.ErrnoException & { port?: number }
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} on ${config?.host} is in use by another program. Choose another with --port.`
    case 'EADDRNOTAVAIL':
      return `this machine has no address ${config?.host}. Choose another with --host.`
    case 'EACCES':
      if (port !== undefined) return `port ${port} needs the rights of root. Choose one above 1023 with --port.`
      return `no permission for ${path ?? 'a file'}.${underData(path, config)}`
    case 'EROFS':
      return `${path ?? 'the data folder'} cannot be written to.${underData(path, config)}`
    default:
      return error.message || error.name
  }
}

/** The system names the file; SQLite, which has its own, does not. PostgreSQL has a disk somewhere else. */
function fullReason(error: Error, config: Parameters<typeof startFailure>[1]): string {
  const { path, code } = error as NodeJS.ErrnoException
  if (code === diskFull) return `the disk of the database is full: ${error.message}.`
  const place = path ?? config?.data
  const disk = place === undefined ? 'the disk is full' : `the disk is full, where ${place} is`
  return `${disk}. Free some room on it, or choose another folder with --data.`
}

/** Of PostgreSQL. */
const diskFull = '53100'

/** What PostgreSQL, or the way to it, says before anything has begun. */
const databaseReasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its host cannot be looked up now',
  ETIMEDOUT: 'it gives no answer',
  ECONNRESET: 'it broke off the connection',
  EHOSTUNREACH: 'there is no way to its host',
  ENETUNREACH: 'there is no way to its network',
  '28P01': 'it does not accept the password',
  '28000': 'it does not accept the user',
  '3D000': 'it has no database of that name',
  '53300': 'it has no connection left',
  '57P03': 'it is still starting',
}

export function databaseReason(error: Error, url: string | undefined): string | undefined {
  if (url === undefined) return undefined
  const { code } = error as NodeJS.ErrnoException
  const isSlow = /timeout expired|connection timeout/i.test(error.message)
  const why = databaseReasons[isSlow ? 'ETIMEDOUT' : (code ?? '')]
  return why && `the database at ${databasePlace(url)} cannot be used: ${why}. It is the one of --database.`
}

function underData(path: string | undefined, config: Parameters<typeof startFailure>[1]): string {
  return path && config && path.startsWith(config.data) ? ' Choose another folder with --data.' : ''
}

/** A fault of the program itself, at any time: its stack is what whoever repairs it needs, its secrets are not. */
export function crashed(error: unknown): never {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`Atoll ended by a fault of its own: ${redact(text)}\n`)
  process.exit(1)
}
