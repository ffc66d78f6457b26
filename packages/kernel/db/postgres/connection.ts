// How Atoll talks to PostgreSQL: types, time limits, pools and single connections.
import type { Socket } from 'node:net'
import pg from 'pg'
import type { Log } from '../../telemetry/log.ts'

const connectTimeoutMs = 10_000
const defaultStatementSeconds = 30
/** The server's own limit comes first: it is the one to say so, unless it cannot. */
const longestSilenceMs = 5_000
/** As on SQLite: a transaction awaits database calls only. */
const idleInTransactionTimeoutMs = 5_000
const idleConnectionMs = 30_000
const keepAliveMs = 10_000
const defaultPoolSize = 10

const int8 = 20
const numeric = 1700

/** Integers and sums come as JavaScript numbers, as from SQLite; one that would lose digits is refused. */
function parseNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) && !text.includes('.')) {
    throw new RangeError(`the database holds ${text}, which is too large for a JavaScript number`)
  }
  return value
}

const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format !== 'binary' && (oid === int8 || oid === numeric)) return parseNumber
    return pg.types.getTypeParser(oid, format)
  },
}

function clientConfig(url: string): pg.ClientConfig {
  // Checked here because the error of a malformed one would carry it, with its password, into the logs.
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new Error('the address of the PostgreSQL database is not a valid postgres:// url')
  }
  return {
    connectionString: url,
    application_name: 'atoll',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    types,
  }
}

export interface PoolSettings {
  poolSize?: number | undefined
  /** What a statement may take. */
  statementSeconds?: number | undefined
}

export function createPool(url: string, settings: PoolSettings, log: Log): pg.Pool {
  const { poolSize = defaultPoolSize, statementSeconds = defaultStatementSeconds } = settings
  const statementMs = statementSeconds * 1000
  const silenceMs = statementMs + Math.min(longestSilenceMs, statementMs)
  const pool = new pg.Pool({
    ...clientConfig(url),
    // Nobody waits longer for a connection than for what it is to do.
    connectionTimeoutMillis: Math.min(connectTimeoutMs, silenceMs),
    max: poolSize,
    idleTimeoutMillis: Math.min(idleConnectionMs, statementMs),
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
  })
  // A connection lost between two queries has nobody waiting for it; without listeners it would end the process.
  const lost = (error: Error) => log.warn({ err: error }, 'lost a database connection')
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', lost)
    dropWhenSilent(client, silenceMs)
  })
  return pool
}

/**
 * A server that hangs, or is cut off, closes nothing: whoever waits for it would wait for ever. A connection is closed
 * long before when it is idle, so one that was silent for so long has somebody waiting.
 */
function dropWhenSilent(client: pg.PoolClient, ms: number): void {
  const stream = (client as unknown as { connection: { stream: Socket } }).connection.stream
  stream.setTimeout(ms, () => {
    const error = new Error(`The database has said nothing for ${ms / 1000} s; the connection to it is given up.`)
    stream.destroy(Object.assign(error, { code: 'ETIMEDOUT' }))
  })
}

/** One connection that nobody gives up, unless the server is gone: what is asked of it may take an hour. */
export function createUnhurriedPool(url: string): pg.Pool {
  const config = { ...clientConfig(url), keepAliveInitialDelayMillis: keepAliveMs, statement_timeout: 0 }
  const pool = new pg.Pool({ ...config, idle_in_transaction_session_timeout: 0, max: 1 })
  pool.on('error', () => {})
  // Whoever waits for an answer is told by it.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** A connection of its own, for LISTEN. The caller handles its 'error' and 'end' events, and ends it. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(clientConfig(url))
  await client.connect()
  return client
}
