// The threads of the sandbox: shared, bounded, and renewed when one is lost.
import { afterEach, describe, expect, it } from 'vitest'
import { transformLimits } from './limits.ts'
import type { SandboxTask } from './protocol.ts'
import { SandboxBusy, SandboxPool } from './sandbox-pool.ts'

const call = (code: string): SandboxTask => ({
  kind: 'call',
  code,
  exportName: 'default',
  input: JSON.stringify({ payload: {}, headers: {}, path: '', origin: '', pathname: '/', search: '', query: [] }),
})
const quick = call('export default () => ({ message: "quick" })')
const loops = call('export default () => { for (;;); }')

describe('the sandbox', () => {
  let pool: SandboxPool
  afterEach(() => pool.close())

  it('does not hold up the gateway while a transform computes', async () => {
    pool = new SandboxPool({ threads: 1 })
    await pool.run(quick)
    const isDone = { value: false }
    const running = pool.run(loops).then((outcome) => {
      isDone.value = true
      return outcome
    })
    // If it ran here, it would have ended before anything else could happen; a thread's answer takes an event.
    for (let step = 0; step < 100; step++) await undefined
    expect(isDone.value).toBe(false)
    expect(await running).toMatchObject({ kind: 'problem' })
  })

  it('lets so many wait and no more, and refuses those that wait when it is closed', async () => {
    pool = new SandboxPool({ threads: 1 })
    const waiting = Array.from({ length: transformLimits.waiting + 1 }, () => pool.run(loops))
    const ended = Promise.allSettled(waiting)
    await expect(pool.run(quick)).rejects.toThrow(SandboxBusy)
    await pool.close()
    const outcomes = await ended
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(outcomes.length)
    await expect(pool.run(quick)).rejects.toThrow(SandboxBusy)
  })

  it('serves many at once, each with its own answer', async () => {
    pool = new SandboxPool({ threads: 2 })
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => pool.run(call(`export default () => ({ name: 'n${at}' })`))),
    )
    expect(answers).toEqual(answers.map((_, at) => ({ kind: 'result', json: `{"name":"n${at}"}` })))
  })

  it('lets modules take turns: one that is called more than it can bear holds up its own calls', async () => {
    pool = new SandboxPool({ threads: 1 })
    let looped = 0
    const many = Array.from({ length: 12 }, () => pool.run(loops, 'loops').then(() => looped++))
    expect(await pool.run(quick, 'quick').then(() => looped)).toBe(2)
    await Promise.all(many)
  })

  it('refuses the newest of the longest line when too many wait, not who comes with few', async () => {
    pool = new SandboxPool({ threads: 1 })
    const many = Array.from({ length: transformLimits.waiting + 1 }, () => pool.run(loops, 'loops'))
    const refused = expect(many.at(-1)).rejects.toThrow(SandboxBusy)
    const ended = Promise.allSettled(many)
    expect(await pool.run(quick, 'quick')).toMatchObject({ kind: 'result' })
    await refused
    await pool.close()
    await ended
  })

  it('answers a call whose thread was ended after it was given and before it was asked', async () => {
    pool = new SandboxPool({ threads: 1 })
    const first = pool.run(quick)
    const second = pool.run(quick)
    await first
    await pool.close()
    expect(await second).toEqual({ kind: 'problem', message: 'was ended before it began' })
  })
})
