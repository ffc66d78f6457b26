import { describe, expect, it } from 'vitest'
import { ProgressBar } from './progress.ts'

function shown(isTTY: boolean): { text: () => string; bar: ProgressBar; pass: (ms: number) => void } {
  let text = ''
  let now = 1_000
  const output = { isTTY, columns: 80, write: (more: string) => (text += more) }
  return { text: () => text, bar: new ProgressBar(output, () => now), pass: (ms) => (now += ms) }
}

describe('the progress of a pull', () => {
  it('is one line that is written over on a terminal', () => {
    const { text, bar, pass } = shown(true)
    bar.begin('m.gguf', 100_000_000, 20_000_000)
    for (let second = 0; second < 4; second++) {
      pass(1_000)
      bar.bytes(10_000_000)
    }
    expect(text()).toContain('Pulling m.gguf, 100 MB, 20 MB of it are here from before\n')
    expect(text()).toContain('\r  [##############..........] 60%  60 MB  10 MB/s  4 s left')
    bar.checking()
    expect(text().endsWith('\nChecking it\n')).toBe(true)
  })

  it('is a line now and then elsewhere', () => {
    const { text, bar, pass } = shown(false)
    bar.begin('m.gguf', undefined, 0)
    for (let second = 0; second < 25; second++) {
      pass(1_000)
      bar.bytes(2_000_000)
    }
    expect(text()).toBe('Pulling m.gguf, of unknown size\n  20 MB  2.0 MB/s\n  40 MB  2.0 MB/s\n')
  })
})
