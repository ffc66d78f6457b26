import type { BatchObject } from '@atoll/platform/resources/batches/schema'
import { describe, expect, it } from 'vitest'
import { BatchProgress } from './progress.ts'

function shown(isTTY: boolean, columns = 80) {
  let text = ''
  let now = 1_000
  const output = { isTTY, columns, write: (more: string) => (text += more) }
  const progress = new BatchProgress(output, () => now)
  const show = (completed: number, failed: number, status = 'in_progress') =>
    progress.show({ status, request_counts: { total: 120, completed, failed } } as BatchObject)
  return { text: () => text, progress, show, pass: (ms: number) => (now += ms) }
}

describe('the progress of a batch', () => {
  it('is one line that is written over on a terminal', () => {
    const { text, progress, show, pass } = shown(true)
    for (let second = 0; second <= 10; second++, pass(1_000)) show(second * 5, second)
    expect(text().split('\r').at(-1)).toBe('  [############............] 60/120  10 failed  6.0/s  10 s left\u001b[K')
    show(118, 2, 'finalizing')
    expect(text()).toMatch(/120\/120 {2}2 failed {2}\S+\/s {2}writing the results/)
    expect(text()).not.toContain('\n')
    progress.note('Ready')
    expect(text().endsWith('\nReady\n')).toBe(true)
  })

  it('is cut nowhere when the terminal does not tell its width', () => {
    const { text, show } = shown(true, 0)
    show(0, 0)
    expect(text()).toContain('0/120  0 failed\u001b[K')
  })

  it('is a line every few seconds elsewhere, when something changed', () => {
    const { text, show, pass } = shown(false)
    for (let second = 0; second < 11; second++, pass(1_000)) show(second * 2, 0)
    expect(text()).toBe('  10/120  0 failed  2.0/s  55 s left\n  20/120  0 failed  2.0/s  50 s left\n')
  })
})
