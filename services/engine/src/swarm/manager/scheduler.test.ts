// Many tasks on many nodes: what one look at a service plans.
import { describe, expect, it } from 'vitest'
import type { KeptNode, KeptService, KeptTask } from '../store/objects.ts'
import { Plan } from './plan.ts'
import { planService } from './plan-service.ts'

const fresh = { Version: { Index: 1 }, CreatedAt: '2026-01-01T00:00:00Z', UpdatedAt: '2026-01-01T00:00:00Z' }

const nodeNumbered = (number: number, rack: string, memory = 64): KeptNode =>
  ({
    ...{ ID: `node${number}`, ...fresh, Status: { State: 'ready', Message: '', Addr: '' } },
    Spec: { Labels: { rack }, Role: 'worker', Availability: 'active' },
    Description: {
      ...{ Hostname: `h${number}`, Platform: { Architecture: 'x86_64', OS: 'linux' } },
      ...{ Resources: { NanoCPUs: 8e9, MemoryBytes: memory }, Engine: { EngineVersion: '', Labels: {}, Plugins: [] } },
    },
  }) as unknown as KeptNode

const serviceOf = (Replicas: number, TaskTemplate: object = {}): KeptService =>
  ({
    ...{ ID: 'service', ...fresh, Endpoint: {} },
    Spec: { Name: 'many', Mode: { Replicated: { Replicas } }, TaskTemplate },
  }) as unknown as KeptService

function planned(service: KeptService, nodes: KeptNode[], tasks: KeptTask[] = []) {
  let last = tasks.length
  const plan = new Plan(service, { nowMs: 0, nodes, volumes: [], tasks, history: 5, newId: () => `task${++last}` })
  planService(plan)
  const counts = new Map<string, number>()
  for (const { NodeID = 'none' } of plan.tasks()) counts.set(NodeID, (counts.get(NodeID) ?? 0) + 1)
  return { plan, counts }
}

describe('a scheduler', () => {
  it('spreads 5,000 tasks evenly over 200 nodes, some at a time', () => {
    const nodes = Array.from({ length: 200 }, (_, number) => nodeNumbered(number, 'a'))
    let { plan, counts } = planned(serviceOf(5_000), nodes)
    for (let looks = 1; plan.wakeAt !== undefined; looks++) {
      expect(plan.tasks()).toHaveLength(looks * 250)
      ;({ plan, counts } = planned(serviceOf(5_000), nodes, plan.tasks()))
    }
    expect(plan.tasks()).toHaveLength(5_000)
    expect(new Set(plan.tasks().map(({ Slot }) => Slot)).size).toBe(5_000)
    expect([counts.size, ...new Set(counts.values())]).toEqual([200, 25])
  })

  it('spreads over racks first, and lets wait what no node has room for', () => {
    const nodes = [nodeNumbered(1, 'a'), nodeNumbered(2, 'b'), nodeNumbered(3, 'b')]
    const Placement = { Preferences: [{ Spread: { SpreadDescriptor: 'node.labels.rack' } }] }
    const spread = planned(serviceOf(8, { Placement }), nodes)
    expect(Object.fromEntries(spread.counts)).toEqual({ node1: 4, node2: 2, node3: 2 })
    const Resources = { Reservations: { MemoryBytes: 30 } }
    const full = planned(serviceOf(8, { Resources }), nodes)
    expect(Object.fromEntries(full.counts)).toEqual({ node1: 2, node2: 2, node3: 2, none: 2 })
    const waiting = full.plan.tasks().find(({ NodeID }) => NodeID === undefined)
    expect(waiting?.Status.Err).toBe('no suitable node (insufficient resources on 3 nodes)')
    const few = planned(serviceOf(8, { Placement: { MaxReplicas: 1 } }), nodes)
    expect(Object.fromEntries(few.counts)).toEqual({ node1: 1, node2: 1, node3: 1, none: 5 })
  })
})
