// Installs the programs that the chosen tests need, and no others.
import { globSync } from 'node:fs'
import { root } from '../places.ts'
import { prepareClusterPrograms } from '../programs/cluster.ts'
import { prepareEnginePrograms } from '../programs/engine.ts'
import { prepareGroup } from '../programs/group.ts'
import { prepareHooksPrograms } from '../programs/hooks.ts'
import { prepareObjectStore } from '../programs/object-store.ts'
import { prepareBrowser } from './browser.ts'
import { preparePostgres } from './postgres.ts'

interface Preparation {
  /** Paths of tests that need it. */
  tests: RegExp
  prepare(mayInstall: boolean): void
}

const preparations: readonly Preparation[] = [
  { tests: /^(packages\/kernel|services|cli\/(?!test\/))/, prepare: preparePostgres },
  { tests: /^(services|cli)\/engine\/|readme/, prepare: prepareEnginePrograms },
  { tests: /\bcluster\b|readme/, prepare: prepareClusterPrograms },
  { tests: /\bhooks\b|readme/, prepare: prepareHooksPrograms },
  { tests: /\bblobs\b|\bbackup\b/, prepare: prepareObjectStore },
  { tests: /^cli\/chaos\//, prepare: prepareGroup },
  { tests: /^cli\/console\//, prepare: prepareBrowser },
]

export function prepareMachine(filters: readonly string[], mayInstall: boolean): void {
  for (const { prepare } of neededPreparations(filters)) prepare(mayInstall)
}

export function neededPreparations(filters: readonly string[]): readonly Preparation[] {
  if (filters.length === 0) return preparations
  const files = globSync('{packages,services,cli,console,bench,architecture}/**/*.test.ts', { cwd: root })
  const chosen = files.filter((file) => filters.some((filter) => file.includes(filter)))
  return preparations.filter(({ tests }) => chosen.some((file) => tests.test(file)))
}
