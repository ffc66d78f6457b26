import { describe, expect, it } from 'vitest'
import { requirementsFolder, root } from '../places.ts'
import { countOutcomes, readTestCases } from './junit.ts'
import { provenIds, readRequirements, tally, unknownIds } from './requirements.ts'
import { missingReport, provenReport } from './requirements-report.ts'

const xml = `<?xml version="1.0" encoding="UTF-8" ?>
<testsuites name="vitest tests" tests="6">
  <testsuite name="a.test.ts">
    <testcase classname="a.test.ts" name="files &gt; INF-001 INF-002 are &quot;kept&quot;" time="0.1"/>
    <testcase classname="a.test.ts" name="files &gt; INF-003 holds" time="0.1">
      <system-out>INF-009 printed, &lt;failure&gt; as well</system-out>
    </testcase>
    <testcase classname="a.test.ts" name="files &gt; INF-002 fails here" time="0.1">
      <failure message="INF-005">no</failure>
    </testcase>
    <testcase classname="a.test.ts" name="files &gt; INF-004 on PostgreSQL" time="0"><skipped/></testcase>
    <testcase classname="a.test.ts" name="files &gt; INF-0012 and XINF-006 are no ids" time="0"/>
    <testcase classname="b.test.ts" name="b.test.ts"><error message="cannot load">x</error></testcase>
  </testsuite>
</testsuites>`

const requirements = ['INF-001', 'INF-002', 'INF-003', 'INF-004', 'ENG-001'].map((id) => ({
  id,
  list: id.startsWith('INF') ? 'inference' : 'engine',
  group: 'conventions',
  statement: `what ${id} says`,
}))

describe('a JUnit report', () => {
  it('is counted case by case: failures and errors, skipped ones, the rest passed', () => {
    expect(countOutcomes(readTestCases(xml, root))).toEqual({ passed: 3, failed: 2, skipped: 1 })
    expect(countOutcomes(readTestCases('<testsuites/>', root))).toEqual({ passed: 0, failed: 0, skipped: 0 })
  })
})

describe('a requirement', () => {
  const cases = readTestCases(xml, root)

  it('is proven by its id in the name of a passed test, unless it stands in a failed or skipped one', () => {
    expect([...provenIds(cases)]).toEqual(['INF-001', 'INF-003'])
  })

  it('is counted in its group; groups with none proven are listed too, unless only a part was run', () => {
    const tallies = tally(requirements, provenIds(cases))
    const inference = 'inference   conventions                     2 / 4\n'
    const engine = 'engine      conventions                     0 / 1\n'
    expect(provenReport(tallies, false)).toBe(`${inference}${engine}requirements proven: 2 of 5\n`)
    expect(provenReport(tallies, true)).toBe(`${inference}requirements proven: 2 of 5\n`)
  })

  it('is listed while it is missing, of one group, one document or all', () => {
    const tallies = tally(requirements, provenIds(cases))
    const inference =
      'inference conventions: 2 of 4 not proven\n    INF-002  what INF-002 says\n    INF-004  what INF-004 says\n'
    const engine = 'engine conventions: 1 of 1 not proven\n    ENG-001  what ENG-001 says\n'
    expect(missingReport(tallies, 'inference')).toBe(inference)
    expect(missingReport(tallies, 'conventions')).toBe(inference + engine)
    expect(missingReport(tallies)).toBe(inference + engine)
  })

  it('that no list has is told', () => {
    expect(
      unknownIds(requirements, [{ name: 'INF-001 INF-999', file: 'a.test.ts', message: '', outcome: 'passed' }]),
    ).toEqual(['INF-999'])
  })

  it('has one id and one statement in the lists of this repository', () => {
    const all = readRequirements(requirementsFolder)
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    expect(all.every(({ group, statement }) => group !== '' && statement !== '')).toBe(true)
    expect(new Set(all.map(({ list }) => list)).size).toBe(5)
  })
})
