// Installs Debian's packages, where this process may.
import { spawnSync } from 'node:child_process'
import { findProgram } from './program-search.ts'

export function whyNotInstall(mayInstall: boolean): string | undefined {
  if (!mayInstall) return 'not installed because of --no-install'
  if (process.getuid?.() !== 0) return 'installing it needs root'
  return findProgram('apt-get') ? undefined : 'there is no apt-get'
}

export function aptInstall(packages: readonly string[]): boolean {
  const aptGet = (...args: string[]) =>
    spawnSync('apt-get', ['-qq', '-o', 'Dpkg::Use-Pty=0', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0
  const install = () => aptGet('install', '-y', '--no-install-recommends', ...packages)
  // A fresh machine has no package lists yet.
  return install() || (aptGet('update') && install())
}
