// Addresses on networks of the swarm for containers that were put there by hand on workers: each stands among the tasks
// (ENG-609) until its worker gives it back, or is gone.
import { HttpError } from '@atoll/kernel/http/error'
import type { Log } from '@atoll/kernel/telemetry/log'
import { forbidden, invalidParameter, noSuchNetwork, unavailable } from '../../errors.ts'
import { parseAddress } from '../../network/address.ts'
import { endpointProblems } from '../../network/endpoint-check.ts'
import { attachProblems, type NetworkRecord } from '../../network/network-record.ts'
import type { EndpointSettings } from '../../resources/containers/schema.ts'
import type { FromWorker } from '../session/messages.ts'
import { changeObject } from '../store/change-object.ts'
import type { LedStore } from '../store/led-store.ts'
import type { KeptTask } from '../store/objects.ts'
import { Retries } from '../store/retries.ts'
import { type Attachment, attachmentTask, isAttachment } from '../worker/attachments.ts'
import type { Allocator } from './allocator.ts'
import { subnetOf } from './kept-networks.ts'

export interface GuestAddressesParts {
  store: LedStore
  allocator: Pick<Allocator, 'fill' | 'giveBack'>
  log: Log
  newId(): string
  now(): number
}

type Asked = Omit<Extract<FromWorker, { is: 'attach' }>, 'is' | 'id'>
type Given = Pick<Attachment, 'network' | 'address'>

/** How often an address is chosen anew because others were faster. */
const maxTries = 5
/** Of one worker: more do not fit on its bridges. */
const maxGuests = 4_000
const serverProblems = 500

/** What a worker said and the store does not have yet. */
interface Said {
  /** All that it has; those that came since are not among them. */
  all?: readonly Attachment[]
  /** What it gave back after that. */
  gone: Place[]
}

type Place = Pick<Attachment, 'container' | 'network'>

export class GuestAddresses {
  readonly #parts: GuestAddressesParts
  readonly #writes: Retries
  readonly #said = new Map<string, Said>()
  readonly #stopListening: () => void
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: GuestAddressesParts) {
    this.#parts = parts
    const { store } = parts
    this.#writes = new Retries(parts.log)
    this.#stopListening = store.listen(({ kind, after }) => {
      if (kind === 'node' && after === undefined) this.#sweep()
    })
    this.#sweep()
  }

  async stop(): Promise<void> {
    this.#stopListening()
    await this.#writes.stop()
    await this.#last
  }

  attach(nodeId: string, asked: Asked): Promise<Given> {
    return this.#inTurn(async () => {
      const record = this.#find(asked.network)
      const IPAMConfig = asked.address === undefined ? {} : { IPv4Address: asked.address }
      const problems = [
        ...attachProblems(record, false),
        ...endpointProblems(record, { IPAMConfig } as EndpointSettings),
      ]
      if (problems.length > 0) throw forbidden(problems.join('\n'))
      await this.#write(nodeId)
      return this.#give(nodeId, { ...asked, network: record.id })
    })
  }

  detach(nodeId: string, container: string, network: string): void {
    const { all, gone = [] } = this.#said.get(nodeId) ?? {}
    const place = { container, network }
    if (all === undefined && !this.#guests(nodeId).some(isOf(place))) return
    void this.#settle(nodeId, { ...(all === undefined ? {} : { all }), gone: [...gone, place] })
  }

  /** All that the node has: others are free again, once that is written. */
  async keepOnly(nodeId: string, all: readonly Attachment[]): Promise<void> {
    await this.#settle(nodeId, { all, gone: [] })
  }

  #settle(nodeId: string, said: Said): Promise<boolean> {
    this.#said.set(nodeId, said)
    return this.#writes.run(`addresses of containers on node ${nodeId}`, () => this.#inTurn(() => this.#write(nodeId)))
  }

  /** Before anything is given to the node: what it said before must not take that away again. */
  async #write(nodeId: string): Promise<void> {
    const said = this.#said.get(nodeId)
    if (said === undefined) return
    const { all, gone } = said
    const guests = this.#guests(nodeId)
    const isGone = (task: KeptTask): boolean => gone.some((place) => isOf(place)(task))
    const isLeft = (task: KeptTask): boolean => all !== undefined && !all.some((one) => isOf(one)(task))
    await this.#remove(guests.filter((task) => isLeft(task) || isGone(task)))
    for (const one of all ?? []) {
      if (!gone.some(({ container, network }) => one.container === container && one.network === network)) {
        await this.#keep(nodeId, one, guests.find(isOf(one)))
      }
    }
    if (this.#said.get(nodeId) === said) this.#said.delete(nodeId)
  }

  async #keep(nodeId: string, one: Attachment, known: KeptTask | undefined): Promise<void> {
    if (known !== undefined) return this.#rename(known, one.name)
    try {
      await this.#give(nodeId, one)
    } catch (error) {
      // Whether it can have it is not known while the store takes nothing.
      if (!(error instanceof HttpError) || error.status >= serverProblems) throw error
      const { message } = error
      this.#parts.log.error(
        { node: nodeId, container: one.container, error: message },
        'a container has an address that it cannot have',
      )
    }
  }

  #guests(nodeId: string): KeptTask[] {
    return this.#parts.store.all('task').filter((task) => task.NodeID === nodeId && isAttachment(task))
  }

  /** By id, name or the beginning of an id. */
  #find(asked: string): NetworkRecord {
    const records = this.#parts.store.all('network').map(({ record }) => record)
    const exact = records.find(({ id }) => id === asked) ?? records.find(({ name }) => name === asked)
    if (exact !== undefined) return exact
    const [match, ...others] = records.filter(({ id }) => id.startsWith(asked))
    if (match === undefined || asked === '') throw noSuchNetwork(asked)
    if (others.length > 0) throw invalidParameter(`network ${asked} is ambiguous`)
    return match
  }

  async #give(nodeId: string, { container, name, network, address }: Asked): Promise<Given> {
    const { store, allocator, newId, now } = this.#parts
    const guests = this.#guests(nodeId)
    const guest = guests.find(isOf({ container, network }))
    const known = guest?.addresses?.[network]
    if (guest !== undefined && known !== undefined && (address ?? known) === known) {
      await this.#rename(guest, name)
      return { network, address: known }
    }
    if (guests.length >= maxGuests)
      throw forbidden(`a worker has at most ${maxGuests} containers on networks of a swarm`)
    if (address !== undefined) this.#expectOn(network, address)
    for (let attempt = 0; attempt < maxTries; attempt++) {
      const object = attachmentTask({ container, name, network, address }, { id: newId(), nodeId, nowMs: now() })
      const writes = allocator.fill([{ kind: 'task', object, index: 0 }])
      const filled = writes[0]?.object as KeptTask
      const given = filled.addresses?.[network]
      if (given === undefined) throw unavailable(filled.Status.Err ?? `network ${network} has no free address`)
      if (await store.commit(writes).finally(() => allocator.giveBack(writes))) return { network, address: given }
      if (address !== undefined) throw forbidden('Address already in use')
    }
    throw unavailable('others were given addresses all the time: try again')
  }

  /** Others find it by its name of now. */
  async #rename({ ID }: KeptTask, attached: string): Promise<void> {
    await changeObject(this.#parts.store, 'task', ID, (task) =>
      task.attached === attached ? undefined : { ...task, attached },
    )
  }

  #expectOn(networkId: string, text: string): void {
    const network = this.#parts.store.get('network', networkId)
    const address = parseAddress(text)
    const leases = network && subnetOf(this.#parts.store, network)?.leases
    if (address === undefined || leases?.covers(address) !== true) {
      throw invalidParameter(`address ${text} is not on the network`)
    }
    if (!leases.isFree(address)) throw forbidden('Address already in use')
  }

  async #remove(tasks: readonly KeptTask[]): Promise<void> {
    if (tasks.length === 0) return
    await this.#parts.store.commit(
      [],
      tasks.map(({ ID }) => ({ kind: 'task', id: ID })),
    )
  }

  /** Of nodes that are no more. */
  #sweep(): void {
    const { store } = this.#parts
    const isLost = (task: KeptTask): boolean => isAttachment(task) && store.get('node', task.NodeID ?? '') === undefined
    void this.#writes.run('addresses of nodes that are gone', () =>
      this.#inTurn(() => this.#remove(store.all('task').filter(isLost))),
    )
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work)
    this.#last = mine.catch(() => {})
    return mine
  }
}

/** What a worker is told instead of an address. */
export function describeRefusal(error: unknown): { status: number; problem: string } {
  if (error instanceof HttpError) return { status: error.status, problem: error.message }
  return { status: 503, problem: `no address can be given now: ${(error as Error).message}` }
}

const isOf =
  ({ container, network }: Place) =>
  (task: KeptTask): boolean =>
    task.Spec.NetworkAttachmentSpec?.ContainerID === container && task.Spec.Networks?.[0]?.Target === network
