import { expect, it } from 'vitest'
import { MemoryBudget, type Tenant } from './memory-budget.ts'

function tenant(bytes: number, isBusy = false): Tenant & { left: boolean; isBusy: boolean } {
  const self = {
    bytes,
    isBusy,
    left: false,
    leave: async () => {
      if (self.isBusy) return false
      self.left = true
      return true
    },
  }
  return self
}

it('sends away what was used longest ago, and only as much as needed', async () => {
  const budget = new MemoryBudget(100)
  const [old, recent, large] = [tenant(40), tenant(40), tenant(60)]
  await budget.enter(old)
  await budget.enter(recent)
  budget.touch(old)
  await budget.enter(large)
  expect([old.left, recent.left]).toEqual([false, true])
})

it('never sends away what is in use', async () => {
  const budget = new MemoryBudget(100)
  const busy = tenant(80, true)
  await budget.enter(busy)
  await expect(budget.enter(tenant(40))).rejects.toMatchObject({ detail: { kind: 'overloaded' } })
  busy.isBusy = false
  await budget.enter(tenant(40))
  expect(busy.left).toBe(true)
})

it('refuses what can never fit', async () => {
  await expect(new MemoryBudget(100).enter(tenant(101))).rejects.toThrow('needs 1 MB')
})
