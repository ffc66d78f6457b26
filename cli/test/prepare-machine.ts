// Installs the programs that the chosen tests need, and no others.
import { globSync } from 'node:fs'
import { root } from '../places.ts'
import { aptInstall, hastily, stopService, whyNotInstall } from '../programs/apt.ts'
import { missingForCluster, prepareClusterPrograms } from '../programs/cluster.ts'
import { missingForEngineTests, prepareEnginePrograms } from '../programs/engine.ts'
import { missingForGroup, prepareGroup } from '../programs/group.ts'
import { missingForHelm, prepareHelm } from '../programs/helm.ts'
import { missingForHooks, prepareHooksPrograms } from '../programs/hooks.ts'
import { missingObjectStore, prepareObjectStore } from '../programs/object-store.ts'
import { missingBrowser, prepareBrowser } from './browser.ts'
import { missingPostgres, preparePostgres } from './postgres.ts'

interface Preparation {
  /** Paths of tests that need it. */
  tests: RegExp
  /** Debian's packages. */
  missing(): string[]
  /** Whatever of them is not there yet, one thing after the other; says what stays missing. */
  prepare(mayInstall: boolean): void
}

const preparations: readonly Preparation[] = [
  { tests: /^(packages\/kernel|services|cli\/(?!test\/))/, missing: missingPostgres, prepare: preparePostgres },
  { tests: /^(services|cli)\/engine\/|readme/, missing: missingForEngineTests, prepare: prepareEnginePrograms },
  { tests: /\bcluster\b|readme/, missing: missingForCluster, prepare: prepareClusterPrograms },
  { tests: /\bhooks\b|readme/, missing: missingForHooks, prepare: prepareHooksPrograms },
  { tests: /\bblobs\b|\bbackup\b/, missing: missingObjectStore, prepare: prepareObjectStore },
  { tests: /^cli\/chaos\//, missing: missingForGroup, prepare: prepareGroup },
  { tests: /^cli\/deploy\/helm/, missing: missingForHelm, prepare: prepareHelm },
  { tests: /^cli\/console\//, missing: missingBrowser, prepare: prepareBrowser },
]

/** Packages that start a server of the same name. */
const servers = ['redis-server', 'ngircd', 'mosquitto', 'prosody', 'haproxy', 'patroni']

export function prepareMachine(filters: readonly string[], mayInstall: boolean): void {
  const needed = neededPreparations(filters)
  if (whyNotInstall(mayInstall) === undefined) installTogether(missingPackages(needed))
  for (const { prepare } of needed) prepare(mayInstall)
}

/** Apt reads and sorts all that it knows at every start: once for all takes half of the time. */
function installTogether(packages: readonly string[]): void {
  if (packages.length < 2) return
  process.stderr.write(`atoll: installing ${packages.join(' ')} …\n`)
  // Another release of Debian may lack one of them: then they are installed as they are asked for.
  aptInstall(packages, [hastily])
  for (const name of servers) if (packages.includes(name)) stopService(name)
}

export const missingPackages = (needed: readonly Preparation[]): string[] => [
  ...new Set(needed.flatMap(({ missing }) => missing())),
]

export function neededPreparations(filters: readonly string[]): readonly Preparation[] {
  if (filters.length === 0) return preparations
  const files = globSync('{packages,services,cli,console,bench,architecture}/**/*.test.ts', {
    cwd: root,
    // Six times as many files lie there.
    exclude: (path) => path.endsWith('node_modules'),
  })
  const chosen = files.filter((file) => filters.some((filter) => file.includes(filter)))
  return preparations.filter(({ tests }) => chosen.some((file) => tests.test(file)))
}
