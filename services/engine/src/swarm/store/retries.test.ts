// Work that is tried until it is done.
import type { Log } from '@atoll/kernel/telemetry/log'
import { silentLog } from '@atoll/testkit/silent-log'
import { describe, expect, it } from 'vitest'
import { Retries } from './retries.ts'

const failing = (times: number, done: () => void) => {
  let tries = 0
  return async () => {
    if (tries++ < times) throw new Error(`not yet: ${tries}`)
    done()
  }
}

describe('work that is to be done', () => {
  it('is tried until it is, and told of by its name each time', async () => {
    const told: [object, string][] = []
    const retries = new Retries({
      ...silentLog,
      warn: (...words: [object, string]) => told.push(words),
    } as unknown as Log)
    let count = 0
    expect(
      await retries.run(
        'the write',
        failing(2, () => count++),
      ),
    ).toBe(true)
    expect(count).toBe(1)
    expect(told).toEqual([
      [{ error: 'not yet: 1' }, 'the write: tried again'],
      [{ error: 'not yet: 2' }, 'the write: tried again'],
    ])
  })

  it('is done as it was last asked for: one of its name before it is no longer tried', async () => {
    const retries = new Retries(silentLog)
    const done: string[] = []
    const first = retries.run(
      'state',
      failing(Number.POSITIVE_INFINITY, () => done.push('first')),
    )
    const other = retries.run('another', async () => void done.push('another'))
    await other
    const second = retries.run('state', async () => void done.push('second'))
    expect(await Promise.all([first, second])).toEqual([true, true])
    expect(done).toEqual(['another', 'second'])
  })

  it('never runs beside another of its name: that one comes to its end first', async () => {
    const retries = new Retries(silentLog)
    const steps: string[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const slow = retries.run('state', async () => {
      steps.push('begun')
      await promise
      steps.push('ended')
    })
    void retries.run('state', async () => void steps.push('skipped'))
    const last = retries.run('state', async () => void steps.push('next'))
    resolve()
    expect(await Promise.all([slow, last])).toEqual([true, true])
    expect(steps).toEqual(['begun', 'ended', 'next'])
  })

  it('is given up when all is stopped, which waits for what is under way', async () => {
    const retries = new Retries(silentLog)
    const { promise, resolve } = Promise.withResolvers<void>()
    const never = retries.run(
      'never',
      failing(Number.POSITIVE_INFINITY, () => {}),
    )
    const slow = retries.run('slow', () => promise)
    const stopped = retries.stop()
    expect(await never).toBe(false)
    resolve()
    await stopped
    expect(await slow).toBe(true)
    expect(await retries.run('late', async () => {})).toBe(false)
  })
})
