// Fails a test in which a store executes a statement that goes through all of a table that grows: such a statement is
// fast in tests, and holds everybody up a year later.
import { type CompiledStatement, compiledStatements } from '@atoll/kernel/db/statements'
import { knownScans, smallTables } from './known-scans.ts'

const seen = new Set<string>()
const found: string[] = []

compiledStatements.subscribe((message) => {
  const statement = message as CompiledStatement
  if (seen.has(statement.sql)) return
  const caller = callingStore()
  if (caller === undefined) return
  seen.add(statement.sql)
  for (const table of fullScans(statement)) found.push(`${table}, ${caller}: ${statement.sql}`)
})

/** Once a statement, in the test that executes it first. */
export function refuseFullScans(): void {
  const statements = found.splice(0)
  if (statements.length === 0) return
  throw new Error(
    `Statements that go through all of a table. Add an index, or the reason why not to known-scans.ts:\n${statements.join('\n')}`,
  )
}

/** The tables that the statement goes through as a whole, other than those with a reason. */
export function fullScans(statement: CompiledStatement): string[] {
  const plan = planOf(statement)
  if (isPage(statement.sql, plan)) return []
  const { sql } = statement
  const tables = new Set(statement.tables())
  return plan
    .flatMap((line) => /^SCAN (\w+)(?!.*VIRTUAL TABLE)/.exec(line)?.[1] ?? [])
    .flatMap((name) => (tables.has(name) ? name : tableBehind(sql, name, tables)))
    .filter(
      (table) => !(table in smallTables) && !knownScans.some((known) => known.table === table && known.sql.test(sql)),
    )
}

/** None for a table that the statement's own transaction has just made. */
function planOf(statement: CompiledStatement): string[] {
  try {
    return statement.plan()
  } catch {
    return []
  }
}

/** The first rows in the order of an index: as long as the page, not as the table. */
const isPage = (sql: string, plan: readonly string[]): boolean =>
  /\blimit\b/i.test(sql) && !/\bwhere\b/i.test(sql) && !plan.some((line) => wholeSort.test(line))

/** The last terms of an order are sorted among rows that are equal in the first ones. */
const wholeSort = /^USE TEMP B-TREE FOR (?!LAST|RIGHT)/

function tableBehind(sql: string, alias: string, tables: ReadonlySet<string>): string[] {
  const name = new RegExp(`"?(\\w+)"? as "?${alias}"?\\b`, 'i').exec(sql)?.[1]
  return name !== undefined && tables.has(name) ? [name] : []
}

/** Undefined when it is the test itself that asks. */
function callingStore(): string | undefined {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 60
  const frames = (new Error().stack ?? '')
    .split('\n')
    .filter((line) => ownCode.test(line) && !throughDatabase.test(line))
  Error.stackTraceLimit = stackTraceLimit
  const [frame = 'unknown'] = frames
  return testCode.test(frame) ? undefined : frame.trim()
}

const ownCode = /\/(packages|services|cli|bench)\/(?!.*node_modules)/
const throughDatabase = /\/packages\/(kernel\/db|testkit)\/(?!.*\.test\.ts)/
const testCode = /\.test\.ts|\/testing\/|\/bench\//
