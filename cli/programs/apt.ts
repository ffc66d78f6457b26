// Installs Debian's packages, where this process may.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { findProgram } from './search.ts'

export function whyNotInstall(mayInstall: boolean): string | undefined {
  if (!mayInstall) return 'not installed because of --no-install'
  if (process.getuid?.() !== 0) return 'installing it needs root'
  return findProgram('apt-get') ? undefined : 'there is no apt-get'
}

/** `settings`: for apt alone, as in `Dir::Etc::SourceParts=-`. */
export function aptInstall(packages: readonly string[], settings: readonly string[] = []): boolean {
  // Another program that installs something is waited for, not given up at once.
  const options = ['Dpkg::Use-Pty=0', 'DPkg::Lock::Timeout=120', ...settings].flatMap((setting) => ['-o', setting])
  const aptGet = (...args: string[]) =>
    spawnSync('apt-get', ['-qq', ...options, ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0
  const install = () => aptGet('install', '-y', '--no-install-recommends', ...packages)
  // A fresh machine has no package lists yet.
  return install() || (aptGet('update') && install())
}

/** Another program, and whoever its tests run beside, would wait for the disk after every file of a package. */
export const hastily = 'Dpkg::Options::=--force-unsafe-io'

/** Packages of servers start one, on the usual port and for everybody on this machine. Nobody has asked for that. */
export function stopService(name: string): void {
  if (existsSync('/run/systemd/system')) spawnSync('systemctl', ['disable', '--now', name], { stdio: 'ignore' })
  else if (existsSync(`/etc/init.d/${name}`)) spawnSync('service', [name, 'stop'], { stdio: 'ignore' })
}
