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
  /** Nothing more fits on the disk of its swarm, or something does again. Only with a disk of its own. */
  fillDisk(isFull: boolean): Promise<void>
}

export interface TestNodes {
  nodes: TestNode[]
  stop(): Promise<void>
}

/** Whether this kernel has what networks between machines are made of. */
export const hasVxlan =
  spawnSync('unshare', ['--net', 'ip', 'link', 'add', 'type', 'vxlan', 'id', '1', 'dstport', '0']).status === 0
if (!hasVxlan) console.warn('Tests of networks between nodes are skipped: this kernel has no VXLAN')

/**
 * `swarmDisk`: what a node keeps of its swarm is on a disk of its own, of so many megabytes. `settingsOf`: of the
 * engine's configuration, by the number of its machine.
 */
export async function startNodes(
  count: number,
  swarmDisk?: number,
  settingsOf: (number: number) => object = () => ({}),
): Promise<TestNodes> {
  const wire = await newWire()
  const nodes = await Promise.all(
    Array.from({ length: count }, (_, index) => startNode(wire, index + 1, swarmDisk, settingsOf(index + 1))),
  )
  return {
    nodes,
    async stop() {
      await Promise.allSettled(nodes.map((node) => node.stop()))
      await wire.stop()
    },
  }
}

async function startNode(
  wire: Wire,
  number: number,
  swarmDisk: number | undefined,
  settings: object,
): Promise<TestNode> {
  const engine = await startWholeEngine({
    settings,
    async prepare(host, folder) {
      await wire.plugIn(host, number)
      if (swarmDisk !== undefined) await mountDisk(host, swarmFolder(folder), swarmDisk)
    },
  })
  return {
    ...engine,
    address: addressOf(number),
    deaf: (direction) => dropAll(engine.host, direction),
    fillDisk: (isFull) => sizeDisk(engine.host, swarmFolder(engine.folder), isFull ? undefined : swarmDisk),
    link: (isUp) => wire.link(number, isUp),
  }
}

export const swarmFolder = (folder: string): string => `${folder}/engine/swarm`

const mountDisk = (host: IsolatedHost, folder: string, megabytes: number): Promise<void> =>
  expectRun(host, `mkdir -p ${folder} && mount -t tmpfs -o size=${megabytes}m,mode=0700 tmpfs ${folder}`)

/** Undefined: as small as what is on it, and a page, as a size of nothing is no limit. */
function sizeDisk(host: IsolatedHost, folder: string, megabytes: number | undefined): Promise<void> {
  const size = megabytes === undefined ? `$(($(df -B1 --output=used ${folder} | tail -1) + 4096))` : `${megabytes}m`
  // Something may be written in between.
  return expectRun(
    host,
    `for i in 1 2 3 4 5 6 7 8 9; do mount -o remount,size=${size} ${folder} && exit 0; done; exit 1`,
  )
}

async function expectRun(host: IsolatedHost, script: string): Promise<void> {
  const { code, stderr } = await host.run('sh', ['-c', script])
  if (code !== 0) throw new Error(`${script}: ${stderr}`)
}

async function dropAll(host: IsolatedHost, direction: 'input' | 'output' | undefined): Promise<void> {
  const side = direction === 'input' ? 'iifname' : 'oifname'
  const rules = `table inet cut { chain drops { type filter hook ${direction} priority -400; ${side} eth0 drop; }; }`
  const input = `table inet cut\ndelete table inet cut\n${direction === undefined ? '' : rules}`
  const { code, stderr } = await host.run('nft', ['-f', '-'], { input })
  if (code !== 0) throw new Error(stderr)
}
