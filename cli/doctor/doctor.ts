// Tells what this machine has and lacks, and what to install. Ends with 1 when something is missing that Atoll cannot
// run without.
import { loadAtollConfig } from '../config.ts'
import { startFailure } from '../up/start-failure.ts'
import type { Check } from './check.ts'
import { machineChecks } from './machine.ts'
import { modelChecks } from './models.ts'
import { programChecks } from './programs.ts'
import { sandboxCheck } from './sandbox.ts'
import { serviceChecks } from './services.ts'

export async function doctor({ json = false, ...flags }: { data?: string; json?: boolean }): Promise<void> {
  let data: string
  try {
    data = (await loadAtollConfig({ env: process.env, flags })).data
  } catch (error) {
    process.stderr.write(startFailure(error))
    process.exitCode = 1
    return
  }
  const checks = [
    ...machineChecks(data),
    ...serviceChecks(),
    ...programChecks(),
    ...modelChecks(),
    await sandboxCheck(),
  ]
  const missing = checks.filter((check) => check.state === 'missing')
  process.exitCode = missing.length === 0 ? 0 : 1
  if (json) return console.log(JSON.stringify(checks, null, 2))
  process.stdout.write(checkTable(checks))
  console.log(missing.length === 0 ? '\nAtoll can run here.' : `\nAtoll cannot run here: see ${names(missing)} above.`)
}

const names = (checks: Check[]): string => checks.map((check) => check.what).join(', ')

const words: Record<Check['state'], string> = { ok: 'ok', missing: 'MISSING', optional: 'absent' }

export function checkTable(checks: readonly Check[]): string {
  const rows = [
    ['', 'for', 'state', ''],
    ...checks.map(({ what, need, state, detail }) => [what, need, words[state], detail]),
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}
