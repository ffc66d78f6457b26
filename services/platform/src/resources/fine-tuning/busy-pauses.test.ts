import { expect, it } from 'vitest'
import { BusyPauses } from './busy-pauses.ts'

/** When it changed, and to what, where a model is busy in the given stretches of milliseconds. */
function changes(stretches: readonly [from: number, to: number][], untilMs: number): [at: number, isPaused: boolean][] {
  const pauses = new BusyPauses()
  const all: [number, boolean][] = []
  for (let now = 0; now <= untilMs; now += 20) {
    const change = pauses.look(
      stretches.some(([from, to]) => now >= from && now < to),
      now,
    )
    if (change !== undefined) all.push([now, change])
  }
  return all
}

it('stands still while a model works, and a moment longer', () => {
  expect(changes([[100, 500]], 2_000)).toEqual([
    [100, true],
    [800, false],
  ])
})

it('goes on standing still for one who asks again at once', () => {
  const asking = Array.from({ length: 10 }, (_, at): [number, number] => [at * 400, at * 400 + 200])
  expect(changes(asking, 5_000).map(([, isPaused]) => isPaused)).toEqual([true, false])
})

it('works for a moment now and then where nobody ever rests', () => {
  const [first, second, third] = changes([[0, 200_000]], 130_000)
  expect(first).toEqual([0, true])
  expect(second?.[1]).toBe(false)
  expect(second?.[0]).toBeGreaterThan(60_000)
  expect(third?.[1]).toBe(true)
  expect(third![0] - second![0]).toBeGreaterThan(1_000)
})
