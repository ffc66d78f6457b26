// An etcd that is there already, and is not the engine's: told by configuration. Nothing of it is begun, ended or
// joined from here; only what lies below a prefix belongs to the swarm.
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { unavailable } from '../../errors.ts'
import { EtcdClient } from './etcd-client.ts'
import type { EtcdPlace } from './etcd-connection.ts'
import type { OutsideEtcdSettings } from './outside-etcd-settings.ts'

const startMs = 5_000
const betweenLooksMs = 100
/** What the largest write of a swarm needs; etcd takes 128 unless it is told. */
export const neededSteps = 2_048

export class OutsideEtcd {
  readonly #settings: OutsideEtcdSettings
  #turn = 0
  #files: { ca?: string; cert?: string; key?: string } = {}

  constructor(settings: OutsideEtcdSettings) {
    this.#settings = settings
  }

  /** For people who look there. */
  get words(): string {
    const { endpoints, prefix } = this.#settings
    return `the etcd at ${endpoints.join(', ')}, below ${prefix}/atoll/`
  }

  /** Resolves when it answers and can hold a swarm. */
  async start(): Promise<EtcdClient> {
    await this.#read()
    const client = new EtcdClient(this.#place, this.#settings.prefix)
    const deadline = Date.now() + startMs
    while (!(await client.isReady())) {
      if (Date.now() > deadline) {
        const problem = await client.problem()
        client.close()
        throw unavailable(`${this.words}, does not answer (engine.swarmStore): ${problem}`)
      }
      await pause(betweenLooksMs)
    }
    if (!(await client.takesSteps(neededSteps))) {
      client.close()
      throw unavailable(`${this.words}, takes too little at once: start it with --max-txn-ops ${neededSteps}`)
    }
    return client
  }

  get #place(): EtcdPlace {
    return {
      target: () => {
        const { endpoints } = this.#settings
        const { protocol, hostname, port } = new URL(endpoints[this.#turn % endpoints.length] ?? '')
        const isSecure = protocol === 'https:'
        const host = hostname.replace(/^\[|\]$/g, '')
        return { isSecure, options: { host, port: port || (isSecure ? 443 : 80), ...(isSecure ? this.#files : {}) } }
      },
      // The next one may be there; and certificates may have been renewed.
      failed: () => {
        this.#turn++
        this.#read().catch(() => {})
      },
    }
  }

  async #read(): Promise<void> {
    const { ca, cert, key } = this.#settings
    const paths = Object.entries({ ca, cert, key }).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const read = paths.map(async ([name, path]) => {
      const text = await readFile(path, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
        throw unavailable(`engine.swarmStore.${name} cannot be read: ${path} (${code})`)
      })
      return [name, text] as const
    })
    this.#files = Object.fromEntries(await Promise.all(read))
  }
}
