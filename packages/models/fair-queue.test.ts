import { expect, it } from 'vitest'
import { FairQueue } from './fair-queue.ts'
import { ModelProblem } from './problem.ts'

const never = new AbortController().signal

it('serves those who wait in turns, whoever asked more often', async () => {
  const queue = new FairQueue({ places: 1, maxWaiting: 100 })
  const first = await queue.take('greedy', never)
  const served: string[] = []
  const ask = async (turn: string, name: string): Promise<void> => {
    const release = await queue.take(turn, never)
    served.push(name)
    release()
  }
  const all = [ask('greedy', 'g1'), ask('greedy', 'g2'), ask('greedy', 'g3'), ask('modest', 'm1'), ask('modest', 'm2')]
  first()
  await Promise.all(all)
  expect(served).toEqual(['g1', 'm1', 'g2', 'm2', 'g3'])
  expect([queue.taken, queue.waiting]).toEqual([0, 0])
})

it('refuses more than may wait, and says when to come back', async () => {
  const queue = new FairQueue({ places: 1, maxWaiting: 1 })
  const release = await queue.take('a', never)
  const waiting = queue.take('a', never)
  const refused = await queue.take('b', never).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(ModelProblem)
  expect((refused as ModelProblem).detail).toMatchObject({ kind: 'overloaded', retryAfterSeconds: expect.any(Number) })
  release()
  ;(await waiting)()
  expect(queue.taken).toBe(0)
})

it('never gives away more places than there are, even to one who comes just as another leaves', async () => {
  const queue = new FairQueue({ places: 1, maxWaiting: 10 })
  const release = await queue.take('a', never)
  const waiting = queue.take('b', never)
  release()
  const late = queue.take('c', never)
  await waiting
  expect(queue.taken).toBe(1)
  ;(await waiting)()
  ;(await late)()
})

it('forgets who stops waiting, and gives a place back only once', async () => {
  const queue = new FairQueue({ places: 1, maxWaiting: 10 })
  const release = await queue.take('a', never)
  const controller = new AbortController()
  const waiting = queue.take('b', controller.signal)
  controller.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  await expect(queue.take('b', controller.signal)).rejects.toThrow('gone')
  expect(queue.waiting).toBe(0)
  release()
  release()
  expect(queue.taken).toBe(0)
})

it('lets work that nobody waits for have half of the places, and only when no one else wants one', async () => {
  const queue = new FairQueue({ places: 4, maxWaiting: 100 })
  const background = [await queue.takeInBackground('batch', never), await queue.takeInBackground('batch', never)]
  const served: string[] = []
  const third = queue.takeInBackground('batch', never).then((release) => {
    served.push('background')
    return release
  })
  const people = [await queue.take('a', never), await queue.take('b', never)]
  const waiting = queue.take('c', never).then((release) => {
    served.push('person')
    return release
  })
  background.pop()?.()
  ;(await waiting)()
  ;(await third)()
  expect(served).toEqual(['person', 'background'])
  for (const release of [...background, ...people]) release()
  const stop = new AbortController()
  const full = [await queue.takeInBackground('batch', never), await queue.takeInBackground('batch', never)]
  const left = queue.takeInBackground('batch', stop.signal)
  stop.abort(new Error('enough'))
  await expect(left).rejects.toThrow('enough')
  for (const release of full) release()
  expect([queue.taken, queue.waiting]).toEqual([0, 0])
})

it.each([
  { backgroundShare: 0.25, places: 8, expected: 2 },
  { backgroundShare: 1, places: 8, expected: 8 },
  { backgroundShare: 0.01, places: 8, expected: 1 },
  { backgroundShare: 0.9, places: 1, expected: 1 },
])('lets such work have $expected of $places places with a share of $backgroundShare', async (given) => {
  const queue = new FairQueue({ maxWaiting: 100, ...given })
  const stop = new AbortController()
  const all = Array.from({ length: 20 }, () => queue.takeInBackground('batch', stop.signal).catch(() => undefined))
  expect(queue.taken).toBe(given.expected)
  stop.abort()
  for (const release of await Promise.all(all)) release?.()
  expect(queue.taken).toBe(0)
})

it('gives a place that becomes free to a person who waits, though background work has less than its share', async () => {
  const queue = new FairQueue({ places: 8, maxWaiting: 100, backgroundShare: 0.25 })
  const people = await Promise.all(Array.from({ length: 8 }, (_, at) => queue.take(`person ${at}`, never)))
  const served: string[] = []
  const background = [1, 2, 3].map(() => queue.takeInBackground('batch', never).then(() => served.push('background')))
  const waiting = queue.take('late', never).then(() => served.push('person'))
  people.pop()?.()
  await waiting
  expect(served).toEqual(['person'])
  for (const release of people) release()
  await Promise.all(background.slice(0, 2))
  expect(served).toEqual(['person', 'background', 'background'])
  expect(queue.taken).toBe(3)
})

it('keeps the last place for a caller who has none', async () => {
  const queue = new FairQueue({ places: 3, maxWaiting: 100 })
  const greedy = [await queue.take('greedy', never), await queue.take('greedy', never)]
  const third = queue.take('greedy', never)
  const modest = await queue.take('modest', never)
  expect([queue.taken, queue.waiting]).toEqual([3, 1])
  modest()
  expect([queue.taken, queue.waiting]).toEqual([2, 1])
  greedy.pop()?.()
  for (const release of [...greedy, await third]) release()
  expect([queue.taken, queue.waiting]).toEqual([0, 0])
})

it('refuses one of whoever fills the queue, not whoever comes with little', async () => {
  const queue = new FairQueue({ places: 1, maxWaiting: 4 })
  const release = await queue.take('greedy', never)
  const greedy = [1, 2, 3, 4].map(() => queue.take('greedy', never))
  const modest = queue.take('modest', never)
  await expect(greedy.pop()).rejects.toMatchObject({ detail: { kind: 'overloaded' } })
  await expect(queue.take('greedy', never)).rejects.toMatchObject({ detail: { kind: 'overloaded' } })
  release()
  for (const waiting of [greedy.shift(), modest, ...greedy]) (await waiting)?.()
  expect([queue.taken, queue.waiting]).toEqual([0, 0])
})

it('gives work that nobody waits for its turns by caller too', async () => {
  const queue = new FairQueue({ places: 1, maxWaiting: 100 })
  const first = await queue.takeInBackground('greedy', never)
  const served: string[] = []
  const ask = async (turn: string): Promise<void> => {
    const release = await queue.takeInBackground(turn, never)
    served.push(turn)
    release()
  }
  const all = ['greedy', 'greedy', 'greedy', 'modest'].map(ask)
  first()
  await Promise.all(all)
  expect(served).toEqual(['greedy', 'modest', 'greedy', 'greedy'])
})

it("leaves a place to others' background work, however much one caller has", async () => {
  const queue = new FairQueue({ places: 4, maxWaiting: 100, backgroundPerCaller: 1 })
  const first = await queue.takeInBackground('greedy', never)
  let isServed = false
  const second = queue.takeInBackground('greedy', never).then((release) => {
    isServed = true
    return release
  })
  const modest = await queue.takeInBackground('modest', never)
  expect(isServed).toBe(false)
  modest()
  first()
  expect(await second).toBeTypeOf('function')
})
