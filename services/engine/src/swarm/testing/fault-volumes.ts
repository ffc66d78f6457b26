// A volume of the cluster among faults: one service writes to it, wherever it is brought. It is on one node at a time,
// nothing of it is left where it was, and nothing that was written is lost; so it is with volumes that are made and
// removed meanwhile.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { csiArchive } from '../../plugins/csi/testing/csi-archive.ts'
import type { TestNode } from './start-nodes.ts'
import { until } from './start-swarm.ts'
import { isRunning, nanos, running, serve, type Task, tasksOf } from './swarm-calls.ts'

const volume = 'kept'
const service = 'keeping'
const settledMs = 120_000
const oneNode = { AccessMode: { Scope: 'single', Sharing: 'none' } }

interface Listed {
  Name: string
  ClusterVolume: { Info?: object; PublishStatus?: { NodeID: string; State: string }[] }
}

export class FaultVolumes {
  readonly #nodes: readonly TestNode[]
  readonly #state = mkdtempSync('/tmp/atoll-fault-csi-')
  /** Those that are to be there. */
  readonly #made = new Set<string>()
  /** How often a task had begun on the volume. */
  #starts = 0

  constructor(nodes: readonly TestNode[]) {
    this.#nodes = nodes
  }

  /** The service whose task has it. */
  static readonly service = service

  async begin(by: TestNode): Promise<void> {
    mkdirSync(join(this.#state, 'volumes'))
    for (const [index, node] of this.#nodes.entries()) {
      const archive = csiArchive({ node: `node${index}`, zone: 'a', state: this.#state })
      expect((await node.call('POST', '/plugins/create?name=csi', archive)).body).toBe('')
      expect((await node.call('POST', '/plugins/csi/enable?timeout=60')).body).toBe('')
    }
    await this.make(by, volume)
    await until(by, `/volumes/${volume}`, ({ ClusterVolume }) => ClusterVolume?.Info !== undefined)
    const ContainerSpec = {
      ...{ Image: 'busybox', StopGracePeriod: 0.1 * nanos },
      Command: ['sh', '-c', 'hostname >> /data/starts; exec sleep 86400'],
      Mounts: [{ Type: 'cluster', Source: volume, Target: '/data' }],
    }
    const RestartPolicy = { Condition: 'any', Delay: 0 }
    expect((await serve(by, service, {}, { ContainerSpec, RestartPolicy })).status).toBe(201)
    await running(by, service, 1)
  }

  end(): void {
    rmSync(this.#state, { recursive: true, force: true })
  }

  /** Also while something is wrong; that it makes one may be told only when it is asked for again. */
  async make(by: TestNode, name: string): Promise<void> {
    const body = { Name: name, Driver: 'csi', ClusterVolumeSpec: oneNode }
    const { status } = await answered([201, 409], () => by.call('POST', '/volumes/create', body))
    expect([201, 409]).toContain(status)
    this.#made.add(name)
  }

  async remove(by: TestNode, name: string): Promise<void> {
    if (!this.#made.delete(name)) return
    const { status } = await answered([204, 404], () => by.call('DELETE', `/volumes/${name}`))
    expect([204, 404]).toContain(status)
  }

  /** Nodes that have the volume as a manager tells, by their ids: never two. */
  async publishedOn(by: TestNode): Promise<string[]> {
    const { status, body } = await by.call('GET', `/volumes/${volume}`).catch(() => ({ status: 0, body: undefined }))
    const told: Listed['ClusterVolume']['PublishStatus'] =
      status === 200 ? body.ClusterVolume?.PublishStatus : undefined
    return [...new Set((told ?? []).map(({ NodeID }) => NodeID))]
  }

  /** As it is to be: on the node of its task alone, and all volumes with the plugin that are in the swarm, and no others. */
  async expectWhole(by: TestNode, ids: ReadonlyMap<string, TestNode>): Promise<void> {
    const look = async () => {
      const tasks: Task[] = (await by.call('GET', tasksOf(service))).body
      const here = tasks.filter(isRunning).map(({ NodeID }) => ids.get(NodeID)?.address)
      const mounted = await this.#mountedOn()
      const { Volumes = [] } = (await by.call('GET', '/volumes')).body ?? {}
      const known = (Volumes as Listed[]).filter(({ ClusterVolume }) => ClusterVolume?.Info !== undefined)
      const names = [...this.#made].sort().join()
      const isRight =
        here.length === 1 &&
        here.join() === mounted.join() &&
        known
          .map(({ Name }) => Name)
          .sort()
          .join() === names &&
        this.#atPlugin().join() === names
      return isRight || { here, mounted, known: known.map(({ Name }) => Name), atPlugin: this.#atPlugin(), names }
    }
    await expect.poll(look, { timeout: settledMs, interval: 200 }).toBe(true)
    const path = join(this.#state, 'volumes', `made-${volume}`, 'starts')
    const starts = existsSync(path) ? readFileSync(path, 'utf8').split('\n').length : 0
    expect(starts, 'what tasks wrote to the volume').toBeGreaterThanOrEqual(Math.max(this.#starts, 1))
    this.#starts = starts
  }

  #atPlugin(): string[] {
    return readdirSync(join(this.#state, 'volumes'))
      .map((name) => name.replace(/^made-/, ''))
      .sort()
  }

  /** Machines on which it is staged or published, whoever thinks so. */
  async #mountedOn(): Promise<string[]> {
    const found = await Promise.all(
      this.#nodes.map(async ({ host, address }) => {
        const { stdout } = await host.run('grep', ['-c', `/made-${volume} `, '/proc/self/mountinfo'])
        return Number(stdout) > 0 ? [address] : []
      }),
    )
    return found.flat()
  }
}

async function answered(statuses: readonly number[], ask: () => ReturnType<TestNode['call']>) {
  const deadline = Date.now() + settledMs
  for (;;) {
    const answer = await ask()
    if (statuses.includes(answer.status) || Date.now() > deadline) return answer
    await pause(100)
  }
}
