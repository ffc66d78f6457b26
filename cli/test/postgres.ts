// The tests run on PostgreSQL too. Where it is missing and may be installed, it is.
import { aptInstall, whyNotInstall } from '../programs/apt.ts'
import { findProgram } from '../programs/search.ts'

/** Debian's packages. */
export const missingPostgres = (): string[] => (findProgram('initdb') === undefined ? ['postgresql'] : [])

export function preparePostgres(mayInstall: boolean): void {
  if (findProgram('initdb')) return
  const hindrance = whyNotInstall(mayInstall)
  if (hindrance === undefined && installPostgres()) return
  const reason = hindrance ?? 'apt-get could not install it'
  console.log(`PostgreSQL is missing (${reason}): the tests that need it are skipped.`)
  console.log('To run them: apt-get install postgresql\n')
}

function installPostgres(): boolean {
  console.log('PostgreSQL is missing: installing it with apt-get, for the tests.')
  return aptInstall(['postgresql']) && findProgram('initdb') !== undefined
}
