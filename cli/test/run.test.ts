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

const settings = `export default { test: { pool: 'forks', reporters: [
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

describe('a run of the tests', { timeout: 120_000 }, () => {
  it('counts what passes only the second time as failed, and names it as flaky', async () => {
    write('good.test.ts', good)
    write('chance.test.ts', good + byChance)
    write(
      'uncaught.test.ts',
      `${good}if (isFirst) setTimeout(() => { throw new Error('late') })
it('waits', () => new Promise((resolve) => setTimeout(resolve, 50)))\n`,
    )
    const { cases, code, notes } = await run()
    expect(code).toBe(1)
    expect(countOutcomes(cases)).toEqual({ passed: 4, failed: 2, skipped: 0 })
    expect(readTestCases(readFileSync(join(folder, 'junit.xml'), 'utf8'))).toEqual(cases)
    expect(notes.toSorted()).toEqual([
      'flaky, passed only the second time: chance.test.ts > holds "mostly" > as a rule (first: expected true to be false // Object.is equality)',
      'flaky, passed only the second time: uncaught.test.ts > Uncaught Exception: late (first: late)',
    ])
    expect(['good', 'chance', 'uncaught'].map((name) => timesRun(`${name}.test.ts`))).toEqual([1, 2, 2])
  })

  it('names it all the same where it is not counted strictly', async () => {
    write('good.test.ts', good)
    write('chance.test.ts', good + byChance)
    const { cases, code, notes } = await run(false)
    expect(code).toBe(0)
    expect(countOutcomes(cases)).toEqual({ passed: 3, failed: 0, skipped: 0 })
    expect(notes).toEqual([expect.stringMatching(/^flaky, passed only the second time: chance\.test\.ts/)])
  })

  it('fails when a file fails twice, and does not run a good one twice', async () => {
    write('good.test.ts', good)
    write('never.test.ts', good + byChance + never)
    write('broken.test.ts', `throw new Error('cannot be read')\n`)
    const { cases, code, notes } = await run()
    expect(code).toBe(1)
    expect(countOutcomes(cases)).toEqual({ passed: 2, failed: 3, skipped: 0 })
    expect(notes).toEqual([])
    expect(['good', 'never', 'broken'].map((name) => timesRun(`${name}.test.ts`))).toEqual([1, 2, 2])
  })

  it('does not run again what can be no chance', () => {
    const failed = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ name: '', file: `${n}`, outcome: 'failed' as const, message: '' }))
    expect(filesToTryAgain(failed(10))).toHaveLength(10)
    expect(filesToTryAgain(failed(11))).toEqual([])
  })
})
