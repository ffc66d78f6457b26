import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Resident } from './resident.ts'

function counted(idleMs: number) {
  const seen = { loads: 0, unloads: 0, gone: new Set<number>() }
  const resident = new Resident<number>({
    load: async () => ++seen.loads,
    unload: async () => {
      seen.unloads++
    },
    isGone: (value) => seen.gone.has(value),
    idleMs,
  })
  return { resident, seen }
}

it('loads once for many users and unloads when nobody used it for long', async () => {
  const { resident, seen } = counted(20)
  expect(await Promise.all([1, 2, 3].map(() => resident.use(async (value) => value)))).toEqual([1, 1, 1])
  while (seen.unloads === 0) await setTimeout(5)
  expect(resident.isLoaded).toBe(false)
  expect(await resident.use(async (value) => value)).toBe(2)
  await resident.close()
  expect(seen).toMatchObject({ loads: 2, unloads: 2 })
})

it('stays while someone uses it', async () => {
  const { resident, seen } = counted(1)
  const { release } = await resident.acquire()
  await setTimeout(30)
  expect(seen.unloads).toBe(0)
  release()
  while (seen.unloads === 0) await setTimeout(5)
})

it('loads anew what has died', async () => {
  const { resident, seen } = counted(10_000)
  await resident.use(async (value) => seen.gone.add(value))
  expect(await resident.use(async (value) => value)).toBe(2)
  expect(seen.unloads).toBe(1)
  await resident.close()
  expect(seen).toMatchObject({ loads: 2, unloads: 2 })
})

it('tells everyone who waits that loading failed, and tries again for the next', async () => {
  let loads = 0
  const resident = new Resident<string>({
    load: async () => {
      if (++loads === 1) throw new Error('no such file')
      return 'here'
    },
    unload: async () => undefined,
    isGone: () => false,
    idleMs: 10_000,
  })
  const both = await Promise.allSettled([resident.acquire(), resident.acquire()])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await resident.use(async (value) => value)).toBe('here')
  await resident.close()
})
