// The first tests need no programs of Debian's: they run while those are installed. The others wait (each-file.ts in the
// testkit) until a mark is gone.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missingPackages, neededPreparations, prepareMachine } from './prepare-machine.ts'

/** Names the mark, a file with the paths of tests that wait, one regular expression a line. */
const variable = 'ATOLL_TEST_PREPARING'

/** Resolves when it is done. Where nothing is missing there is nothing to wait for. */
export async function prepareBeside(filters: readonly string[], mayInstall: boolean): Promise<void> {
  const needed = neededPreparations(filters)
  if (missingPackages(needed).length === 0 || !mayInstall) return prepareMachine(filters, mayInstall)
  const folder = mkdtempSync(join(tmpdir(), 'atoll-preparing-'))
  const mark = join(folder, 'mark')
  writeFileSync(mark, needed.map(({ tests }) => tests.source).join('\n'))
  process.env[variable] = mark
  try {
    const child = spawn(process.execPath, [import.meta.filename, ...filters], { stdio: 'inherit' })
    await once(child, 'close')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (import.meta.main) prepareMachine(process.argv.slice(2), true)
