// Nodes that keep what they know of their swarm on a disk of its own, as a mount point.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNodes, swarmFolder, type TestNode, type TestNodes } from './testing/start-nodes.ts'
import { beginSwarm, hasEtcd } from './testing/start-swarm.ts'
import { get, join } from './testing/swarm-calls.ts'

const slow = { timeout: 120_000 }
let machines: TestNodes
let [first, second]: TestNode[] = []

beforeAll(async () => {
  if (!hasEtcd) return
  machines = await startNodes(2, 512)
  ;[first, second] = machines.nodes
}, 120_000)

afterAll(() => machines?.stop(), 120_000)

const init = (node: TestNode) => beginSwarm(node, { ListenAddr: '0.0.0.0:2377', AdvertiseAddr: node.address })
const leave = async (node: TestNode) => (await node.call('POST', '/swarm/leave?force=1')).status
const stateOf = async (node: TestNode) => (await get('/info', node)).Swarm.LocalNodeState
const onDisk = async ({ host, folder }: TestNode) => (await host.run('ls', ['-A', swarmFolder(folder)])).stdout

describe.skipIf(!hasEtcd)('a node whose swarm has a disk of its own', slow, () => {
  it('begins a swarm, joins one, and leaves nothing there', async () => {
    await init(first!)
    for (const role of ['Worker', 'Manager'] as const) {
      expect(await join(second!, first!, role)).toMatchObject({ status: 200 })
      expect(await onDisk(second!)).toContain('node.json')
      expect(await leave(second!)).toBe(200)
      expect(await onDisk(second!)).toBe('')
    }
    expect(await leave(first!)).toBe(200)
    expect(await onDisk(first!)).toBe('')
  })

  it('says so when that is full, is in no swarm then, and begins one when it has room', async () => {
    await first!.fillDisk(true)
    const { status, body } = await first!.call('POST', '/swarm/init', {
      ListenAddr: '0.0.0.0:2377',
      AdvertiseAddr: first!.address,
    })
    expect([status, body.message]).toEqual([503, expect.stringMatching(/no space left on device/i)])
    expect(await stateOf(first!)).toBe('inactive')
    await first!.fillDisk(false)
    await init(first!)
    expect(await stateOf(first!)).toBe('active')
    expect(await leave(first!)).toBe(200)
  })
})
