// Several machines on one wire, each with an engine: for swarms of more than one node.
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { type IsolatedHost, isolatedHost } from '../../testing/isolated.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

export interface TestNode extends WholeEngine {
  /** On the wire that all of them share. */
  address: string
  /** Nothing passes between it and the others any more, or again. */
  link(isUp: boolean): Promise<void>
}

export interface TestNodes {
  nodes: TestNode[]
  stop(): Promise<void>
}

/** Whether this kernel has what networks between machines are made of. */
export const hasVxlan =
  spawnSync('unshare', ['--net', 'ip', 'link', 'add', 'type', 'vxlan', 'id', '1', 'dstport', '0']).status === 0
if (!hasVxlan) console.warn('Tests of networks between nodes are skipped: this kernel has no VXLAN')

const run = promisify(execFile)
const ip = (host: IsolatedHost, line: string) =>
  run('nsenter', [`--net=/proc/${host.pid}/ns/net`, 'ip', ...line.split(' ')])

export async function startNodes(count: number): Promise<TestNodes> {
  const wire = await isolatedHost()
  await ip(wire, 'link add wire type bridge')
  await ip(wire, 'link set wire up')
  const nodes: TestNode[] = []
  for (let number = 1; number <= count; number++) nodes.push(await startNode(wire, number))
  return {
    nodes,
    async stop() {
      await Promise.allSettled(nodes.map((node) => node.stop()))
      await wire.stop()
    },
  }
}

async function startNode(wire: IsolatedHost, number: number): Promise<TestNode> {
  const address = `192.168.77.${number}`
  const engine = await startWholeEngine({
    async prepare(host) {
      await ip(host, `link add eth0 type veth peer name node${number} netns ${wire.pid}`)
      await ip(host, `addr add ${address}/24 dev eth0`)
      await ip(host, 'link set eth0 up')
      await ip(wire, `link set node${number} master wire up`)
    },
  })
  return {
    ...engine,
    address,
    link: async (isUp) => void (await ip(wire, `link set node${number} ${isUp ? 'up' : 'down'}`)),
  }
}
