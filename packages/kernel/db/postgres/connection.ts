// How Atoll talks to PostgreSQL: types, time limits, pools and single connections.
import pg from 'pg'
import type { Log } from '../../telemetry/log.ts'

const connectTimeoutMs = 10_000
const statementTimeoutMs = 30_000
/** As on SQLite: a transaction awaits database calls only. */
const idleInTransactionTimeoutMs = 5_000
const idleConnectionMs = 30_000
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

export function createPool(url: string, poolSize: number | undefined, log: Log): pg.Pool {
  const pool = new pg.Pool({
    ...clientConfig(url),
    max: poolSize ?? defaultPoolSize,
    idleTimeoutMillis: idleConnectionMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
  })
  // A connection lost between two queries has nobody waiting for it; without listeners it would end the process.
  const lost = (error: Error) => log.warn({ err: error }, 'lost a database connection')
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', lost))
  return pool
}

/** A connection of its own, for LISTEN. The caller handles its 'error' and 'end' events, and ends it. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(clientConfig(url))
  await client.connect()
  return client
}
