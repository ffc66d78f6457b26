// What can happen to a group, by name. Each begins, lasts for a while, and is over when its `end` resolves.
import type { Draws } from '@atoll/engine/swarm/testing/draws'
import type { Fault as StoreFault } from '@atoll/testkit/faulty-proxy'
import { databasePort, storePort } from './balancer.ts'
import type { Group, GroupNode } from './group.ts'

interface Begun {
  /** To whom, in words. */
  what: string
  end(): Promise<void>
}

export interface Fault {
  name: string
  lastsMs: readonly [least: number, most: number]
  /** Of one node: the others go on meanwhile. */
  isOfOneNode: boolean
  begin(group: Group, draws: Draws): Promise<Begun>
}

const ofOneNode = (
  name: string,
  lastsMs: Fault['lastsMs'],
  begin: (node: GroupNode) => Promise<unknown>,
  end: (node: GroupNode) => Promise<unknown>,
): Fault => ({
  ...{ name, lastsMs, isOfOneNode: true },
  async begin({ nodes }, draws) {
    const node = draws.one(nodes)
    await begin(node)
    return { what: node.name, end: async () => void (await end(node)) }
  },
})

const mend = (node: GroupNode): Promise<void> => node.machine.mend()

const clockJump = (name: string, seconds: number): Fault =>
  ofOneNode(
    name,
    [3_000, 8_000],
    async ({ own }) => own.clock.set(seconds),
    async ({ own }) => own.clock.set(0),
  )

/** Of these in turn. */
const ofTheStore = (name: string, kinds: readonly StoreFault[]): Fault => ({
  ...{ name, lastsMs: [1_000, 5_000], isOfOneNode: false },
  async begin({ store }) {
    // Every other request: attempts after failures are part of what is tried. How many there are is not the seed's.
    let asked = 0
    store.fault = () => (asked++ % 2 === 0 ? kinds[(asked >> 1) % kinds.length] : undefined)
    return {
      what: 'S3',
      async end() {
        store.fault = () => undefined
        store.seen.length = 0
      },
    }
  },
})

export const faults: readonly Fault[] = [
  ofOneNode(
    'kill -9',
    [200, 3_000],
    (node) => node.kill(),
    (node) => node.start(),
  ),
  ofOneNode(
    'pause',
    [1_000, 8_000],
    async (node) => process.kill(node.processId, 'SIGSTOP'),
    async (node) => process.kill(node.processId, 'SIGCONT'),
  ),
  ofOneNode('partition', [1_000, 8_000], (node) => node.machine.cutOff(), mend),
  ofOneNode('partition from the database', [1_000, 8_000], (node) => node.machine.cutOff(databasePort), mend),
  ofOneNode('partition from S3', [1_000, 8_000], (node) => node.machine.cutOff(storePort), mend),
  ofOneNode('lossy link, 1 of 8 packets', [2_000, 6_000], (node) => node.machine.loseOneIn(8), mend),
  ofOneNode('slow link, 2 Mbit/s', [2_000, 6_000], (node) => node.machine.slowDown('2mbit'), mend),
  {
    ...{ name: 'kill -9 of the primary', lastsMs: [0, 1], isOfOneNode: false },
    async begin({ database }) {
      await database.killPrimary()
      return { what: 'PostgreSQL', end: async () => undefined }
    },
  },
  {
    ...{ name: 'pause', lastsMs: [500, 4_000], isOfOneNode: false },
    async begin({ database }) {
      const over = Promise.withResolvers<void>()
      const frozen = database.freeze(() => over.promise)
      return {
        what: 'PostgreSQL',
        async end() {
          over.resolve()
          await frozen
        },
      }
    },
  },
  clockJump('clock an hour ahead', 3_600),
  clockJump('clock an hour behind', -3_600),
  ofOneNode(
    'disk full',
    [2_000, 6_000],
    ({ own }) => own.disk.fill(),
    ({ own }) => own.disk.empty(),
  ),
  ofOneNode(
    'disk read-only',
    [2_000, 6_000],
    ({ own }) => own.disk.failToReadOnly(),
    async (node) => {
      await node.kill()
      await node.own.disk.repair()
      await node.start()
    },
  ),
  ofTheStore('5xx', [{ status: 500 }, { status: 502 }, { status: 503 }]),
  ofTheStore('time-outs', ['silence']),
  ofTheStore('broken connections', ['reset', { cut: 1_000 }]),
  ofTheStore('disk full', [{ status: 507 }]),
]
