// The tests run on PostgreSQL too. Where it is missing and may be installed, it is.
import { spawnSync } from 'node:child_process'
import { findProgram } from './program-search.ts'

export function preparePostgres(mayInstall: boolean): void {
  if (findProgram('initdb')) return
  const hindrance = whyNotInstall(mayInstall)
  if (hindrance === undefined && installPostgres()) return
  const reason = hindrance ?? 'apt-get could not install it'
  console.log(`PostgreSQL is missing (${reason}): the tests that need it are skipped.`)
  console.log('To run them: apt-get install postgresql\n')
}

function whyNotInstall(mayInstall: boolean): string | undefined {
  if (!mayInstall) return 'not installed because of --no-install'
  if (process.getuid?.() !== 0) return 'installing it needs root'
  return findProgram('apt-get') ? undefined : 'there is no apt-get'
}

function installPostgres(): boolean {
  console.log('PostgreSQL is missing: installing it with apt-get, for the tests.')
  const aptGet = (...args: string[]) =>
    spawnSync('apt-get', ['-qq', '-o', 'Dpkg::Use-Pty=0', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0
  const install = () => aptGet('install', '-y', '--no-install-recommends', 'postgresql')
  // A fresh machine has no package lists yet.
  return (install() || (aptGet('update') && install())) && findProgram('initdb') !== undefined
}
