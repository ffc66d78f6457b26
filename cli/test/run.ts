// Runs tests, and the files that failed once more, alone, to tell the flaky ones.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { testVariablePrefix } from '@atoll/kernel/config/settings'
import { root } from '../places.ts'
import { filesToTryAgain, flakyReport } from './flaky.ts'
import { readTestCases, type TestCase } from './junit.ts'

interface TestRun {
  /** Has the settings of the run, and the tests. */
  folder: string
  filters: string[]
  reportFile: string
  /** What passes only the second time has failed. */
  isStrict: boolean
}

interface TestResult {
  cases: TestCase[]
  code: number
  /** What must be told besides. */
  notes: string[]
}

/** What tests that failed end with; an interrupted or broken run has another one. */
const failedTestsCode = 1

/** Strictly, what failed fails, whatever it does at the second try: that one only tells a chance from a fault. */
export async function runTests({ folder, filters, reportFile, isStrict }: TestRun): Promise<TestResult> {
  const code = await runVitest(folder, filters, reportFile)
  const cases = readCases(reportFile, folder)
  const files = code === failedTestsCode ? filesToTryAgain(cases) : []
  if (files.length === 0) return { cases, code, notes: [] }
  console.log(`\nOnce more, alone: ${files.join(' ')}`)
  const paths = files.map((file) => join(folder, file))
  const secondFile = `${reportFile}.second`
  // A process for each: one that dies takes no other file along.
  const secondCode = await runVitest(folder, [...paths, '--maxWorkers=1', '--isolate'], secondFile)
  const second = readCases(secondFile, folder)
  rmSync(secondFile, { force: true })
  const notes = flakyReport(cases, second)
  if (isStrict || second.length === 0) return { cases, code, notes }
  const others = cases.filter(({ file }) => file === undefined || !files.includes(file))
  return { cases: [...others, ...second], code: secondCode, notes }
}

const readCases = (file: string, folder: string): TestCase[] =>
  existsSync(file) ? readTestCases(readFileSync(file, 'utf8'), folder) : []

function runVitest(folder: string, args: string[], outputFile: string): Promise<number> {
  // A report of an earlier run must not stand in for one that never came.
  rmSync(outputFile, { force: true })
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', ...args], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...testEnvironment(), ATOLL_TEST_REPORT: outputFile },
  })
  // Ctrl-C reaches the child by itself; it ends first, and its report is still read.
  const wait = () => undefined
  const end = () => child.kill('SIGTERM')
  process.on('SIGINT', wait).on('SIGTERM', end)
  return new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? failedToEndCode))
  }).finally(() => process.off('SIGINT', wait).off('SIGTERM', end))
}

/** For a run that a signal ended. */
const failedToEndCode = 2

/** Programs that tests start find this Node first, and nothing of the settings meant for someone's own Atoll. */
function testEnvironment(): NodeJS.ProcessEnv {
  const foreign = (name: string) => name.startsWith('ATOLL_') && !name.startsWith(testVariablePrefix)
  const kept = Object.entries(process.env).filter(([name]) => !foreign(name))
  return { ...Object.fromEntries(kept), PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter) }
}
