// The other services of this machine, for the console: reached through the platform, by owners of the
// first organization alone. No credential of theirs ever comes to a browser.
import type { Duplex } from 'node:stream'
import type { HttpError } from '@atoll/kernel/http/error'
import type { Destination, Forwarding } from '@atoll/kernel/http/forward/forwarding'
import type { RequestHead } from '@atoll/kernel/http/route'
import { consoleErrors } from '../errors/console.ts'
import type { OperationLog } from './operation-log.ts'
import type { ConsoleServiceList } from './schema.ts'
import type { Console } from './service.ts'

const operatedNames = ['engine', 'hooks', 'cluster'] as const
type Name = (typeof operatedNames)[number]

/** What runs beside the platform, as its starter knows it: services come after the platform, and some not at all. */
export interface Neighbours {
  /** By name, how each is reached. */
  connections: ReadonlyMap<string, () => Duplex>
  /** Why one cannot run. */
  absent: Readonly<Record<string, string>>
  /** How often it is asked whether somebody who follows something still may. */
  recheckMs?: number
}

export const noNeighbours: Neighbours = { connections: new Map(), absent: {} }

type Head = Pick<RequestHead, 'address' | 'headers'>

/** A module, or what a container gets as an archive; images are pulled, not sent from a browser. */
const maxBodyBytes = 512 * 1024 * 1024
const maxAtOnce = 256
const usualRecheckMs = 10_000

/** Who asks, for the other service's own records. */
const actorHeader = 'x-atoll-actor'

export class Operation {
  readonly #console: Console
  readonly #neighbours: Neighbours
  readonly #log: OperationLog

  constructor(console: Console, neighbours: Neighbours, log: OperationLog) {
    this.#console = console
    this.#neighbours = neighbours
    this.#log = log
  }

  async list(head: Head): Promise<ConsoleServiceList> {
    await this.#console.operatorOf(head)
    const { connections, absent } = this.#neighbours
    const data = operatedNames.map((name) => ({
      object: 'console.service' as const,
      name,
      status: connections.has(name) ? ('running' as const) : ('absent' as const),
      reason: absent[name] ?? null,
    }))
    return { object: 'list', data }
  }

  /** Throws for whoever may not, before it tells whether the service runs. */
  async destination(head: Head, name: string, way: 'page' | 'socket' = 'page'): Promise<Destination> {
    const { user, organization } = await this.#console.operatorOf(head, way)
    if (!isName(name)) throw consoleErrors.noSuchService(name)
    const connect = this.#neighbours.connections.get(name)
    if (connect === undefined) throw consoleErrors.notRunning(name, this.#neighbours.absent[name])
    return {
      connect,
      headers: { [actorHeader]: encodeURIComponent(user.email) },
      stillMay: async () => (await this.#console.operatorOf(head, way)).is_operator,
      // The others have logs of their own, in which whoever asks is named by the header.
      ...(name === 'engine' ? { record: this.#log.recorder(head, organization.id, user.id) } : {}),
    }
  }

  get recheckMs(): number {
    return this.#neighbours.recheckMs ?? usualRecheckMs
  }

  get forwarding(): Forwarding {
    const { recheckMs } = this
    return {
      path: '/console/services',
      admit: (head, name) => this.destination(head, name),
      unreachable: (name): HttpError => consoleErrors.notAnswering(name),
      maxBodyBytes,
      maxAtOnce,
      recheckMs,
    }
  }
}

const isName = (name: string): name is Name => operatedNames.some((known) => known === name)
