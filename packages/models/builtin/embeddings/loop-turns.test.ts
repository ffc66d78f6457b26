import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { LoopTurns } from './loop-turns.ts'

const { signal } = new AbortController()

/** Takes as long as a turn of the loop has room for. */
function busy(): void {
  const until = performance.now() + 3
  while (performance.now() < until) {}
}

it('does what is there at once, and the rest in later turns of the loop, one of each caller', async () => {
  const turns = new LoopTurns()
  const done: string[] = []
  const add = (turn: string, name: string) =>
    turns.do({ turn, signal }, () => {
      busy()
      done.push(name)
    })
  const all = [add('a', 'a1'), add('a', 'a2'), add('a', 'a3'), add('b', 'b1')]
  expect(done).toEqual(['a1'])
  await setImmediate()
  expect(done).toEqual(['a1', 'a2'])
  await Promise.all(all)
  expect(done).toEqual(['a1', 'a2', 'b1', 'a3'])
})

it('does nothing for a caller who left before their turn, and tells what went wrong', async () => {
  const turns = new LoopTurns()
  const leaving = new AbortController()
  const first = turns.do({ turn: 'a', signal }, busy)
  let isDone = false
  const left = turns.do({ turn: 'a', signal: leaving.signal }, () => {
    isDone = true
  })
  const wrong = turns.do({ turn: 'b', signal }, () => {
    throw new Error('wrong')
  })
  leaving.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  await expect(wrong).rejects.toThrow('wrong')
  await first
  expect(isDone).toBe(false)
})
