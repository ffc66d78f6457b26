// Which files of tests make the suite slow: with `ATOLL_TEST_CPU=FILE` each writes the processor time that it took, with
// all programs that it waited for. Unlike the time on the clock it hardly depends on what else the machine does.
import { appendFileSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect } from 'vitest'

/** Of /proc/self/stat behind the program's name: own time in user mode and the system's, then that of ended children. */
const timesAt = 11
const ticksPerSecond = 100

function processorSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(timesAt, timesAt + 4).map(Number)
  return ticks.reduce((sum, count) => sum + count, 0) / ticksPerSecond
}

export function writeProcessorTime(file: string): void {
  let before = 0
  beforeAll(() => {
    before = processorSeconds()
  })
  afterAll(() => {
    const { testPath } = expect.getState()
    appendFileSync(file, `${(processorSeconds() - before).toFixed(1)} ${testPath}\n`)
  })
}
