import { describe, expect, it } from 'vitest'
import { amount, humanSize, progressBar, progressOf } from './progress.ts'
import { all, forever } from './testing/registry-engine.ts'

describe('progress', () => {
  it('writes sizes and bars as docker does', () => {
    const sizes = [0, 999, 1_000, 2_156_031, 999_960, 1_234_567_890].map(humanSize)
    expect(sizes).toEqual(['0B', '999B', '1kB', '2.156MB', '1000kB', '1.235GB'])
    expect(progressBar(0, 0)).toBe('')
    expect(progressBar(1_500, 0)).toBe('   1.5kB')
    expect(progressBar(25_000, 100_000)).toBe(`[${'='.repeat(12)}>${' '.repeat(38)}]     25kB/100kB`)
    expect(progressBar(100, 100)).toBe(`[${'='.repeat(50)}>]     100B/100B`)
    expect(progressBar(200, 100)).toBe(`[${'='.repeat(50)}>]     200B`)
  })

  it('throws what fails before the first message, and tells what fails after it', async () => {
    const failing = (hasBegun: boolean) =>
      progressOf(async (report) => {
        if (hasBegun) report({ status: 'begun' })
        throw new Error('the disk is full')
      }, forever())
    await expect(all(failing(false))).rejects.toThrow('the disk is full')
    expect(await all(failing(true))).toEqual([
      { status: 'begun' },
      { errorDetail: { message: 'the disk is full' }, error: 'the disk is full' },
    ])
  })

  it('keeps only the newest amount of a layer for a slow reader', async () => {
    const stream = progressOf(async (report) => {
      report({ status: 'begun' })
      for (let at = 1; at <= 1_000; at++) report(amount('a', 'Downloading', at, 1_000))
      report(amount('b', 'Downloading', 1, 2))
    }, forever())
    const messages = await all(stream)
    expect(messages.map(({ id, progressDetail }) => [id, progressDetail?.current])).toEqual([
      [undefined, undefined],
      ['a', 1_000],
      ['b', 1],
    ])
  })

  it('ends the work when its reader leaves, and waits for that', async () => {
    let hasEnded = false
    const stream = progressOf(async (report, signal) => {
      report({ status: 'begun' })
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      hasEnded = true
    }, forever())
    for await (const _ of stream) break
    expect(hasEnded).toBe(true)
  })
})
