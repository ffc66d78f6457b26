// Addresses of containers on workers, when workers come and go.
import { silentLog } from '@atoll/testkit/silent-log'
import { expect, it } from 'vitest'
import type { LedStore } from '../store/led-store.ts'
import type { KeptTask } from '../store/objects.ts'
import type { Write } from '../store/swarm-store.ts'
import { GuestAddresses } from './guest-addresses.ts'

const record = {
  ...{ id: 'over', name: 'named', created: '', driver: 'overlay', enableIPv6: false, internal: false },
  ...{ attachable: true, chosenSubnets: ['10.0.1.0/24'], options: {}, labels: {}, configOnly: false, configFrom: '' },
  ipam: { driver: 'default', options: null, config: [{ Subnet: '10.0.1.0/24', Gateway: '10.0.1.1' }] },
}

/** What is kept, in memory. */
function begin() {
  const nodes = new Set(['one', 'two'])
  const tasks = new Map<string, KeptTask>()
  const network = { ID: 'over', record, gateways: {} }
  let removed: (change: object) => void = () => {}
  let isAway = false
  const store = {
    all: (kind: string) => (kind === 'task' ? [...tasks.values()] : kind === 'network' ? [network] : []),
    get: (kind: string, id: string) => (kind === 'network' ? network : nodes.has(id) ? { ID: id } : undefined),
    listen: (listener: typeof removed) => {
      removed = listener
      return () => {}
    },
    async commit(writes: readonly Write[], removals: readonly { id: string }[] = []) {
      if (isAway) throw new Error('the store takes nothing now')
      for (const { object } of writes) tasks.set(object.ID, object as KeptTask)
      for (const { id } of removals) tasks.delete(id)
      return true
    },
  } as unknown as LedStore
  let count = 0
  const guests = new GuestAddresses({
    ...{ store, log: silentLog, newId: () => `task${count++}`, now: () => 0 },
    allocator: { fill: (writes) => [...writes], giveBack: () => {} },
  })
  const addresses = () => [...tasks.values()].map(({ NodeID, addresses: given }) => `${NodeID} ${given?.over}`)
  const remove = (id: string) => {
    nodes.delete(id)
    removed({ kind: 'node', id, before: { ID: id }, after: undefined })
  }
  const away = (is: boolean) => {
    isAway = is
  }
  return { guests, addresses, remove, away }
}

const asked = (container: string, address: string) => ({ container, name: container, network: 'named', address })

it('are free again when their node is gone', async () => {
  const { guests, addresses, remove } = begin()
  await guests.attach('one', asked('a', '10.0.1.9'))
  await guests.attach('two', asked('b', '10.0.1.10'))
  remove('one')
  await guests.stop()
  expect(addresses()).toEqual(['two 10.0.1.10'])
})

it('are given once to who asks again, never to two, and only on the network', async () => {
  const { guests, addresses } = begin()
  for (const _ of [1, 2]) {
    expect(await guests.attach('one', asked('a', '10.0.1.9'))).toEqual({ network: 'over', address: '10.0.1.9' })
  }
  await expect(guests.attach('two', asked('b', '10.0.1.9'))).rejects.toThrow('Address already in use')
  await expect(guests.attach('two', asked('b', '10.9.9.9'))).rejects.toThrow('10.9.9.9')
  expect(addresses()).toEqual(['one 10.0.1.9'])
})

it('are those that a worker says it has, when its session begins', async () => {
  const { guests, addresses } = begin()
  await guests.attach('one', asked('a', '10.0.1.9'))
  await guests.attach('two', asked('b', '10.0.1.10'))
  await guests.keepOnly('one', [{ ...asked('c', '10.0.1.11'), network: 'over' }])
  expect(addresses()).toEqual(['two 10.0.1.10', 'one 10.0.1.11'])
})

it('are free once the store takes that, where it did not when they were given back', async () => {
  const { guests, addresses, away } = begin()
  for (const [container, address] of [
    ['a', '10.0.1.9'],
    ['b', '10.0.1.10'],
  ] as const) {
    await guests.attach('one', asked(container, address))
  }
  away(true)
  guests.detach('one', 'a', 'over')
  // One that is asked for again is not given back any more.
  guests.detach('one', 'b', 'over')
  await expect(guests.attach('one', asked('b', '10.0.1.10'))).rejects.toThrow('takes nothing')
  away(false)
  expect(await guests.attach('one', asked('b', '10.0.1.10'))).toEqual({ network: 'over', address: '10.0.1.10' })
  await expect.poll(addresses).toEqual(['one 10.0.1.10'])
  await guests.stop()
  expect(addresses()).toEqual(['one 10.0.1.10'])
})

it('are not taken away by what their worker said before it had them', async () => {
  const { guests, addresses, away } = begin()
  await guests.attach('one', asked('old', '10.0.1.8'))
  away(true)
  const kept = guests.keepOnly('one', [])
  away(false)
  await guests.attach('one', asked('a', '10.0.1.9'))
  await kept
  expect(addresses()).toEqual(['one 10.0.1.9'])
  await guests.stop()
})
