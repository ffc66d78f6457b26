// Runs the tests and says what they prove.
import { existsSync, readFileSync } from 'node:fs'
import { reportFile, requirementsFolder, root } from '../places.ts'
import { countOutcomes, readTestCases, type TestCase } from './junit.ts'
import { prepareBeside } from './prepare-beside.ts'
import { provenIds, readRequirements, tally, unknownIds } from './requirements.ts'
import { missingReport, provenReport } from './requirements-report.ts'
import { runTests } from './run.ts'

interface TestOptions {
  /** True without a group. */
  missing?: string | true
  install: boolean
  strict: boolean
}

export async function test(filters: string[], options: TestOptions): Promise<void> {
  if (options.missing !== undefined) return listMissing(options.missing === true ? undefined : options.missing)
  // Called first: it leaves the mark that tests look for.
  const prepared = prepareBeside(filters, options.install)
  const run = runTests({ folder: root, filters, reportFile, isStrict: options.strict })
  const [{ cases, code, notes }] = await Promise.all([run, prepared])
  process.exitCode = report(cases, code, { notes, isPart: filters.length > 0 })
}

/** Prints the requirements proven and, as the last line, the counts; returns the exit code. */
function report(
  cases: TestCase[],
  vitestCode: number,
  { notes, isPart }: { notes: string[]; isPart: boolean },
): number {
  const { passed, failed, skipped } = countOutcomes(cases)
  const requirements = readRequirements(requirementsFolder)
  const unknown = unknownIds(requirements, cases)
  console.log(`\n${provenReport(tally(requirements, provenIds(cases)), isPart)}`)
  if (unknown.length > 0) console.log(`ids in tests that no list has: ${unknown.join(' ')}`)
  if (passed + failed === 0) console.log('No test ran.')
  else if (vitestCode !== 0 && failed === 0) console.log('The run failed outside of any test: see above.')
  for (const note of notes) console.log(note)
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
    provenIds(readTestCases(readFileSync(reportFile, 'utf8'), root)),
  )
  if (group !== undefined && !tallies.some((row) => row.group === group || row.list === group)) {
    const known = new Set(tallies.flatMap((row) => [row.list, row.group]))
    console.error(`There is no group ${group}. There are: ${[...known].join(', ')}`)
    process.exitCode = 1
    return
  }
  process.stdout.write(missingReport(tallies, group) || 'Every requirement is proven.\n')
}
