// Runs the tests and says what they prove.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { testVariablePrefix } from '@atoll/kernel/config/settings'
import { prepareClusterPrograms } from './cluster-programs.ts'
import { prepareEnginePrograms } from './engine-programs.ts'
import { countOutcomes, readTestCases, type TestCase } from './junit.ts'
import { reportFile, requirementsFolder, root } from './places.ts'
import { provenIds, readRequirements, tally, unknownIds } from './requirements.ts'
import { missingReport, provenReport } from './requirements-report.ts'
import { preparePostgres } from './test-postgres.ts'

interface TestOptions {
  /** True without a group. */
  missing?: string | true
  install: boolean
}

export async function test(filters: string[], options: TestOptions): Promise<void> {
  if (options.missing !== undefined) return listMissing(options.missing === true ? undefined : options.missing)
  preparePostgres(options.install)
  prepareEnginePrograms(options.install)
  prepareClusterPrograms(options.install)
  // A report of an earlier run must not stand in for one that never came.
  rmSync(reportFile, { force: true })
  const code = await runVitest(filters)
  const cases = existsSync(reportFile) ? readTestCases(readFileSync(reportFile, 'utf8')) : []
  process.exitCode = report(cases, code)
}

function runVitest(filters: string[]): Promise<number> {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', ...filters], {
    cwd: root,
    stdio: 'inherit',
    env: testEnvironment(),
  })
  // Ctrl-C reaches the child by itself; it ends first, and its report is still read.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 1))
  })
}

/** Programs that tests start find this Node first, and nothing of the settings meant for someone's own Atoll. */
function testEnvironment(): NodeJS.ProcessEnv {
  const foreign = (name: string) => name.startsWith('ATOLL_') && !name.startsWith(testVariablePrefix)
  const kept = Object.entries(process.env).filter(([name]) => !foreign(name))
  return { ...Object.fromEntries(kept), PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter) }
}

/** Prints the requirements proven and, as the last line, the counts; returns the exit code. */
function report(cases: TestCase[], vitestCode: number): number {
  const { passed, failed, skipped } = countOutcomes(cases)
  const requirements = readRequirements(requirementsFolder)
  const unknown = unknownIds(requirements, cases)
  console.log(`\n${provenReport(tally(requirements, provenIds(cases)))}`)
  if (unknown.length > 0) console.log(`ids in tests that no list has: ${unknown.join(' ')}`)
  if (passed + failed === 0) console.log('No test ran.')
  else if (vitestCode !== 0 && failed === 0) console.log('The run failed outside of any test: see above.')
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
  return failed > 0 || passed === 0 || vitestCode !== 0 ? 1 : 0
}

function listMissing(group: string | undefined): void {
  if (!existsSync(reportFile)) {
    console.error('There is no report yet: run ./atoll test first.')
    process.exitCode = 1
    return
  }
  const tallies = tally(
    readRequirements(requirementsFolder),
    provenIds(readTestCases(readFileSync(reportFile, 'utf8'))),
  )
  if (group !== undefined && !tallies.some((row) => row.group === group || row.list === group)) {
    const known = new Set(tallies.flatMap((row) => [row.list, row.group]))
    console.error(`There is no group ${group}. There are: ${[...known].join(', ')}`)
    process.exitCode = 1
    return
  }
  process.stdout.write(missingReport(tallies, group) || 'Every requirement is proven.\n')
}
