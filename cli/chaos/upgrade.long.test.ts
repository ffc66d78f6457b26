// A rolling upgrade as an operator does it: three nodes behind HAProxy, drained and replaced one by one under load.
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { lackingForGroup, runIsolated } from './isolated.ts'

const program = fileURLToPath(new URL('./run-upgrade.ts', import.meta.url))
const lacks = lackingForGroup()

describe.skipIf(lacks !== '')(`a rolling upgrade (${lacks || 'nothing lacks'})`, () => {
  it('fails no request while old and new nodes serve on the expanded schema', { timeout: 480_000 }, async () => {
    let report = ''
    const hear = (text: string): void => {
      report += text
    }
    const code = await runIsolated(program, [], { hear })
    console.log(report)
    expect(report).toMatch(/upgraded 3 nodes: [1-9]\d* requests answered, 0 failed/)
    expect(report).toMatch(/batches .* 0 told as failed/)
    expect(report).not.toContain('BROKEN')
    expect(code).toBe(0)
  })
})
