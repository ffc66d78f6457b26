// Real little runs: what fails fails, and what passes when it is run again is told.
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { root } from '../places.ts'
import { filesToTryAgain } from './flaky.ts'
import { countOutcomes, readTestCases } from './junit.ts'
import { runTests } from './run.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'atoll-test-run-'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'vitest.config.mjs'), settings)
})
afterEach(() => rmSync(folder, { recursive: true }))

const settings = `export default { test: { pool: 'forks', isolate: false, maxWorkers: 2, reporters: [
  ['junit', { outputFile: process.env.ATOLL_TEST_REPORT, addFileAttribute: true }]
] } }`

function write(file: string, body: string): void {
  const head = `import { appendFileSync, existsSync } from 'node:fs'
import { expect, it } from 'vitest'
const mark = new URL('./${file}.ran', import.meta.url)
const isFirst = !existsSync(mark)
appendFileSync(mark, 'ran ')
`
  writeFileSync(join(folder, file), head + body)
}

const timesRun = (file: string): number => readFileSync(join(folder, `${file}.ran`), 'utf8').split(' ').length - 1

const run = (isStrict = true) => runTests({ folder, filters: [], reportFile: join(folder, 'junit.xml'), isStrict })

const good = `it('holds', () => {})\n`
const byChance = `it('holds "mostly" > as a rule', () => expect(isFirst).toBe(false))\n`
const never = `it('never holds', () => expect(1).toBe(2))\n`

const dies = (when: string) => `it('dies', () => {
  if (${when}) process.kill(process.pid, 'SIGABRT')
  return new Promise((resolve) => setTimeout(resolve, isFirst ? 60_000 : 0))
}, 90_000)
`

describe('a run of the tests', { timeout: 120_000 }, () => {
  it('fails what fails twice, what passes only the second time, and what its process died at; the notes tell which is which', async () => {
    write('good.test.ts', good)
    write('chance.test.ts', good + byChance)
    write(
      'uncaught.test.ts',
      `${good}if (isFirst) setTimeout(() => { throw new Error('late') })
it('waits', () => new Promise((resolve) => setTimeout(resolve, 50)))\n`,
    )
    write('never.test.ts', good + byChance + never)
    write('broken.test.ts', `throw new Error('cannot be read')\n`)
    write('crash.test.ts', good + dies('isFirst') + good)
    write('crashes.test.ts', good + dies('true') + good)
    const { cases, code, notes } = await run()
    expect(code).toBe(1)
    expect(readTestCases(readFileSync(join(folder, 'junit.xml'), 'utf8'), folder)).toEqual(cases)
    const outcomes = Object.fromEntries(
      Map.groupBy(cases, ({ file = '' }) => file)
        .entries()
        .map(([file, own]) => [file, countOutcomes(own)]),
    )
    expect(outcomes).toEqual({
      'good.test.ts': { passed: 1, failed: 0, skipped: 0 },
      'chance.test.ts': { passed: 1, failed: 1, skipped: 0 },
      'uncaught.test.ts': { passed: 2, failed: 1, skipped: 0 },
      'never.test.ts': { passed: 1, failed: 2, skipped: 0 },
      'broken.test.ts': { passed: 0, failed: 1, skipped: 0 },
      'crash.test.ts': { passed: 0, failed: 1, skipped: 0 },
      'crashes.test.ts': { passed: 0, failed: 1, skipped: 0 },
    })
    expect(notes.toSorted()).toEqual([
      'crashed: the process of crash.test.ts ended with signal SIGABRT; alone, the file passes',
      'crashed: the process of crashes.test.ts ended with signal SIGABRT; alone, the file fails too',
      'flaky, passed only the second time: chance.test.ts > holds "mostly" > as a rule (first: expected true to be false // Object.is equality)',
      'flaky, passed only the second time: uncaught.test.ts > Uncaught Exception: late (first: late)',
    ])
    const { 'good.test.ts': _, ...others } = outcomes
    expect(timesRun('good.test.ts')).toBe(1)
    expect(Object.keys(others).map(timesRun)).toEqual(Object.keys(others).map(() => 2))
  })

  it('names it all the same where it is not counted strictly', async () => {
    write('good.test.ts', good)
    write('chance.test.ts', good + byChance)
    write('crash.test.ts', good + dies('isFirst'))
    const { cases, code, notes } = await run(false)
    expect(code).toBe(0)
    expect(countOutcomes(cases)).toEqual({ passed: 5, failed: 0, skipped: 0 })
    expect(notes.toSorted()).toEqual([
      expect.stringMatching(/^crashed: .*crash\.test\.ts/),
      expect.stringMatching(/^flaky, passed only the second time: chance\.test\.ts/),
    ])
  })

  it('does not run again what can be no chance', () => {
    const failed = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ name: '', file: `${n}`, outcome: 'failed' as const, message: '' }))
    expect(filesToTryAgain(failed(10))).toHaveLength(10)
    expect(filesToTryAgain(failed(11))).toEqual([])
  })
})
