// Three nodes of the platform behind a balancer, on one database and one bucket, each node on a machine of its own.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type FaultyProxy, startFaultyProxy } from '@atoll/testkit/faulty-proxy'
import { createTestBucket } from '@atoll/testkit/s3-server'
import { ServerProcess } from '../nodes/server-process.ts'
import { apiPort, databasePort, startBalancer, storePort } from './balancer.ts'
import type { GroupDatabase } from './databases/database.ts'
import { Disk } from './disk.ts'
import { commonAddress, leaveMachines, Machine } from './machines.ts'
import { NodeClock } from './node-clock.ts'
import { type StubModel, startStubModel } from './stub-model.ts'

export const apiKey = 'sk-of-the-group'
export const adminKey = 'sk-admin-of-the-group'
export const apiUrl = `http://${commonAddress}:${apiPort}`
const nodePort = 8080
const plenty = 1_000_000_000
const joinMs = 60_000
/** What it looks at in turns may take some seconds each before it says so. */
const readyMs = 15_000
const startsAtMost = 5

/** What faults of a node beyond its link are done to. */
interface OwnParts {
  clock: NodeClock
  disk: Disk
}

export class GroupNode {
  readonly name: string
  readonly machine: Machine
  readonly #args: string[]
  readonly #own: OwnParts | undefined
  #server: ServerProcess | undefined

  constructor(name: string, machine: Machine, args: string[], own?: OwnParts) {
    this.name = name
    this.machine = machine
    this.#args = args
    this.#own = own
  }

  /** Throws in groups that were started without. */
  get own(): OwnParts {
    if (this.#own === undefined) throw new Error(`${this.name} has no clock and no disk of its own.`)
    return this.#own
  }

  get url(): string {
    return `http://${this.machine.address}:${nodePort}`
  }

  get processId(): number {
    return this.#server?.processId ?? 0
  }

  get output(): string {
    return this.#server?.output ?? ''
  }

  /** A start that fails is made again, as a service manager does: what a node needs may be away. */
  async start(program?: string, attempts = startsAtMost): Promise<void> {
    const env = { ATOLL_API_KEY: apiKey, ATOLL_ADMIN_KEY: adminKey, ...this.#own?.clock.env }
    const given = program === undefined ? {} : { program }
    for (let left = attempts; ; left--) {
      this.#server = new ServerProcess({ args: this.#args, env, through: this.machine.enter, ...given })
      try {
        await this.#server.ready()
        return
      } catch (error) {
        if (left === 1) throw error
      }
    }
  }

  /** kill -9. Throws where it had ended by itself. */
  async kill(): Promise<void> {
    await this.#server?.kill()
  }

  /** As an operator does; resolves to its exit code. */
  async stop(): Promise<number | null> {
    return (await this.#server?.stop()) ?? null
  }

  /** Undefined when it is ready. */
  async whyNotReady(): Promise<string | undefined> {
    try {
      const answer = await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(readyMs) })
      const text = await answer.text()
      return answer.status === 200 ? undefined : text
    } catch (error) {
      return `${error}`
    }
  }
}

export interface Group {
  nodes: readonly GroupNode[]
  database: GroupDatabase
  /** As the nodes reach it. */
  databaseUrl: string
  store: FaultyProxy
  model: StubModel
  stop(): Promise<void>
}

interface GroupSettings {
  /** For files of the group. */
  folder: string
  size?: number
  database: GroupDatabase
  /** Added to the configuration of every node. */
  settings?: object
  /** Of the balancer. */
  checkSeconds?: number
  /** Nodes get clocks and disks that faults can be done to; they cost time. */
  hasOwnParts?: boolean
}

export async function startGroup({
  folder,
  size = 3,
  database,
  settings = {},
  checkSeconds = 2,
  hasOwnParts = false,
}: GroupSettings): Promise<Group> {
  const bucket = await createTestBucket()
  const store = await startFaultyProxy(bucket.endpoint)
  const model = await startStubModel()
  const databaseUrl = database.url(commonAddress, databasePort)
  const machines = await Promise.all(Array.from({ length: size }, (_, at) => Machine.make(at + 1)))
  const config = join(folder, 'atoll.json')
  const { accessKeyId, secretAccessKey } = bucket
  const s3 = { endpoint: `http://${commonAddress}:${storePort}`, bucket: bucket.bucket, accessKeyId, secretAccessKey }
  await writeFile(
    config,
    JSON.stringify({ ...common(databaseUrl, model.url), blobs: { s3: { ...s3, timeoutSeconds: 5 } }, ...settings }),
  )
  const nodes: GroupNode[] = []
  for (const [at, machine] of machines.entries()) {
    const name = `node${at + 1}`
    const own = hasOwnParts ? await ownParts(folder, name) : undefined
    const data = join(own?.disk.folder ?? folder, name)
    await mkdir(data)
    const place = ['--config', config, '--data', data, '--host', machine.address, '--port', String(nodePort)]
    nodes.push(new GroupNode(name, machine, place, own))
  }
  const stopBalancer = await startBalancer(folder, {
    nodes: nodes.map(({ name, machine: { address } }) => ({ name, address, port: nodePort })),
    databases: database.servers,
    storePort: Number(new URL(store.endpoint).port),
    checkSeconds,
  })
  await Promise.all(nodes.map((node) => node.start()))
  await untilAllServe(nodes)
  return {
    ...{ nodes, database, databaseUrl, store, model },
    async stop() {
      for (const node of nodes) {
        await node.kill().catch(() => undefined)
        if (hasOwnParts) await node.own.disk.unmount()
      }
      await stopBalancer()
      await database.stop()
      model.close()
      leaveMachines()
    },
  }
}

async function ownParts(folder: string, name: string): Promise<OwnParts> {
  const disk = join(folder, `${name}.disk`)
  await mkdir(disk)
  return { clock: new NodeClock(join(folder, `${name}.clock`)), disk: await Disk.make(disk) }
}

const common = (url: string, modelUrl: string) => ({
  services: ['platform'],
  database: { url, statementSeconds: 5 },
  shutdown: { drainSeconds: 2, graceSeconds: 10 },
  log: { level: 'warn' },
  platform: {
    runtimes: { stub: { kind: 'upstream', replicas: [modelUrl], model: 'stub' } },
    models: [{ id: 'stub', runtime: 'stub', serves: ['chat'] }],
    rateLimits: { requestsPerMinute: plenty, tokensPerMinute: plenty },
  },
})

export class NotReady extends Error {
  override readonly name = 'NotReady'
}

export async function untilAllServe(nodes: readonly GroupNode[]): Promise<void> {
  const giveUpAt = performance.now() + joinMs
  for (const node of nodes) {
    for (let reason = await node.whyNotReady(); reason !== undefined; reason = await node.whyNotReady()) {
      if (performance.now() > giveUpAt) throw new NotReady(`${node.name}: ${reason}\n${node.output.slice(-2_000)}`)
      await pause(100)
    }
  }
}
