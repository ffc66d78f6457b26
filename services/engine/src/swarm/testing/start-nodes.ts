// Several machines on one wire, each with an engine: for swarms of more than one node.
import { spawnSync } from 'node:child_process'
import type { IsolatedHost } from '../../testing/isolated.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'
import { addressOf, newWire, type Wire } from './wire.ts'

export interface TestNode extends WholeEngine {
  /** On the wire that all of them share. */
  address: string
  /** Nothing passes between it and the others any more, or again. */
  link(isUp: boolean): Promise<void>
  /** Nothing reaches it from the others, or nothing leaves it; undefined: all of it passes again. */
  deaf(direction: 'input' | 'output' | undefined): Promise<void>
}

export interface TestNodes {
  nodes: TestNode[]
  stop(): Promise<void>
}

/** Whether this kernel has what networks between machines are made of. */
export const hasVxlan =
  spawnSync('unshare', ['--net', 'ip', 'link', 'add', 'type', 'vxlan', 'id', '1', 'dstport', '0']).status === 0
if (!hasVxlan) console.warn('Tests of networks between nodes are skipped: this kernel has no VXLAN')

export async function startNodes(count: number): Promise<TestNodes> {
  const wire = await newWire()
  const nodes = await Promise.all(Array.from({ length: count }, (_, index) => startNode(wire, index + 1)))
  return {
    nodes,
    async stop() {
      await Promise.allSettled(nodes.map((node) => node.stop()))
      await wire.stop()
    },
  }
}

async function startNode(wire: Wire, number: number): Promise<TestNode> {
  const engine = await startWholeEngine({ prepare: (host) => wire.plugIn(host, number) })
  return {
    ...engine,
    address: addressOf(number),
    deaf: (direction) => dropAll(engine.host, direction),
    link: (isUp) => wire.link(number, isUp),
  }
}

async function dropAll(host: IsolatedHost, direction: 'input' | 'output' | undefined): Promise<void> {
  const side = direction === 'input' ? 'iifname' : 'oifname'
  const rules = `table inet cut { chain drops { type filter hook ${direction} priority -400; ${side} eth0 drop; }; }`
  const input = `table inet cut\ndelete table inet cut\n${direction === undefined ? '' : rules}`
  const { code, stderr } = await host.run('nft', ['-f', '-'], { input })
  if (code !== 0) throw new Error(stderr)
}
