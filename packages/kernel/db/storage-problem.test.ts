import { expect, it } from 'vitest'
import { DatabaseOverloaded } from './overloaded.ts'
import { SqliteError } from './sqlite/calls.ts'
import { storageProblem } from './storage-problem.ts'

const withCode = (code: string) => Object.assign(new Error('x'), { code })
const sqlite = (errcode: number) => new SqliteError({ message: 'x', errcode })

it.each([
  ['a full disk', withCode('ENOSPC'), 'full'],
  ['a used-up quota', withCode('EDQUOT'), 'full'],
  ['SQLITE_FULL', sqlite(13), 'full'],
  ['SQLITE_IOERR_WRITE', sqlite(778), 'full'],
  ['SQLITE_IOERR_SHMSIZE', sqlite(4874), 'full'],
  ['SQLITE_IOERR_READ', sqlite(266), 'away'],
  ['PostgreSQL without room', withCode('53100'), 'full'],
  ['PostgreSQL without connections', withCode('53300'), 'away'],
  ['PostgreSQL that is shut down', withCode('57P01'), 'away'],
  ['PostgreSQL that starts', withCode('57P03'), 'away'],
  ['nobody there', withCode('ECONNREFUSED'), 'away'],
  ['a lost connection', new Error('Connection terminated unexpectedly'), 'away'],
  ['no connection in time', new Error('timeout exceeded when trying to connect'), 'away'],
  ['too much at once', new DatabaseOverloaded('x'), 'away'],
  ['a problem inside another', new Error('it failed', { cause: sqlite(13) }), 'full'],
  ['a row that is there already', sqlite(1555), undefined],
  ['a damaged file', sqlite(11), undefined],
  ['a wrong statement', withCode('42601'), undefined],
  ['a file that is missing', withCode('ENOENT'), undefined],
  ['anything else', new TypeError('x is not a function'), undefined],
  ['no error at all', 'ENOSPC', undefined],
])('%s', (_, error, problem) => {
  expect(storageProblem(error)).toBe(problem)
})
