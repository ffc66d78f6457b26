// The short form of `./atoll chaos`: three nodes, one PostgreSQL, and a few faults that are the same each time.
import { describe, expect, it } from 'vitest'
import { runAtoll } from '../run-atoll.ts'
import { runChaos } from './chaos.ts'
import { lackingPatroni } from './databases/patroni.ts'
import { lackingForGroup } from './isolated.ts'

const isLong = process.env.ATOLL_TEST_LONG === '1'
/** Draws the kill of a node and of the database first. */
const shortSeed = 36
const lacks = [lackingForGroup(), isLong ? lackingPatroni() : ''].filter((what) => what !== '').join(', ')

describe.skipIf(lacks !== '')(`a group of three nodes under faults (${lacks || 'nothing lacks'})`, () => {
  it('keeps every promise of the report', { timeout: isLong ? 3_900_000 : 480_000 }, async () => {
    let report = ''
    const settings = { minutes: isLong ? 60 : 0.01, atLeast: isLong ? 24 : 2, isSingle: !isLong }
    const code = await runChaos({ seed: isLong ? Date.now() % 1e9 : shortSeed, ...settings }, (text) => {
      report += text
    })
    console.log(report)
    expect(report).not.toContain('BROKEN')
    expect(report).toContain('kept   every acknowledged file is there with its SHA-256')
    expect(code).toBe(0)
  })
})

describe('./atoll chaos', () => {
  it('refuses what is no number, and starts nothing', async () => {
    const { code, err } = await runAtoll(['chaos', '--minutes', 'many'])
    expect([code, err]).toEqual([1, 'atoll: --minutes takes a number of at most 1440, not many.\n'])
  })
})
