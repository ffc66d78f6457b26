// Containers that were put on a network of the swarm by hand stand among the tasks: each with its container (ENG-609).
import type { Log } from '@atoll/kernel/telemetry/log'
import type { EngineEvents } from '../../events/engine-events.ts'
import type { ContainerRecord } from '../../resources/containers/record.ts'
import type { KeptTask } from '../store/objects.ts'
import { Retries } from '../store/retries.ts'
import type { SwarmStore, Write } from '../store/swarm-store.ts'

export interface AttachmentsParts {
  store: SwarmStore
  nodeId: string
  events: EngineEvents
  log: Log
  containers(): readonly ContainerRecord[]
  /** Who is on which network of the swarm, by their ids. */
  attached(): readonly Attachment[]
  newId(): string
  now(): number
}

export interface Attachment {
  container: string
  name: string
  network: string
  address: string
}

const sameAs =
  ({ container, network, address }: Attachment) =>
  (task: KeptTask): boolean =>
    task.Spec.NetworkAttachmentSpec?.ContainerID === container &&
    task.Spec.Networks?.[0]?.Target === network &&
    task.addresses?.[network] === address

export class Attachments {
  readonly #parts: AttachmentsParts
  readonly #stopListening: () => void
  readonly #writes: Retries

  constructor(parts: AttachmentsParts) {
    this.#parts = parts
    this.#writes = new Retries(parts.log)
    this.#stopListening = parts.events.listen(({ Type, Action }) => {
      if (Type === 'network' && (Action === 'connect' || Action === 'disconnect')) this.#follow()
      if (Type === 'container' && Action === 'rename') this.#follow()
    })
    this.#follow()
  }

  async stop(): Promise<void> {
    this.#stopListening()
    await this.#writes.stop()
  }

  #follow(): void {
    void this.#writes.run('containers on networks of the swarm', () => this.#reconcile())
  }

  async #reconcile(): Promise<void> {
    const { store, nodeId, log, newId, now } = this.#parts
    const wanted = this.#attached()
    const known = store.all('task').filter((task) => task.NodeID === nodeId && isAttachment(task))
    const gone = known.filter((task) => !wanted.some((one) => sameAs(one)(task)))
    const missing = wanted.filter((one) => !known.some(sameAs(one)))
    const renamed = known.flatMap((task) => {
      const { name } = wanted.find((one) => sameAs(one)(task)) ?? {}
      return name === undefined || name === task.attached ? [] : [{ ...task, attached: name }]
    })
    if (gone.length === 0 && missing.length === 0 && renamed.length === 0) return
    const added = missing.map((one) => attachmentTask(one, { id: newId(), nodeId, nowMs: now() }))
    const writes = [...added, ...renamed].map(
      (object): Write => ({ kind: 'task', object, index: object.Version.Index }),
    )
    const removals = gone.map(({ ID }) => ({ kind: 'task' as const, id: ID }))
    if (await store.commit(writes, removals)) return
    // Another manager gave an address to somebody else in the same moment, or changed what was changed: others are not
    // to go without for that.
    if (removals.length > 0) await store.commit([], removals)
    for (const write of writes) {
      if (await store.commit([write])) continue
      const { Spec, addresses } = write.object as KeptTask
      log.error(
        { container: Spec.NetworkAttachmentSpec?.ContainerID, addresses },
        'a container has an address that another manager gave away as well',
      )
    }
  }

  #attached(): Attachment[] {
    const { containers, attached } = this.#parts
    const tasks = new Set(containers().flatMap(({ id, taskId }) => (taskId === undefined ? [] : [id])))
    return attached().filter(({ container }) => !tasks.has(container))
  }
}

/** Without an address: one is still to be given. */
export function attachmentTask(
  { container, name, network, address }: Omit<Attachment, 'address'> & { address?: string | undefined },
  { id, nodeId, nowMs }: { id: string; nodeId: string; nowMs: number },
): KeptTask {
  const time = new Date(nowMs).toISOString().replace('Z', '000000Z')
  const Spec = {
    ...{ NetworkAttachmentSpec: { ContainerID: container }, Runtime: 'attachment', Networks: [{ Target: network }] },
  } as KeptTask['Spec']
  return {
    ...{ ID: id, Version: { Index: 0 }, CreatedAt: time, UpdatedAt: time, Labels: {}, ServiceID: '', Spec },
    ...{ NodeID: nodeId, DesiredState: 'running' as const, attached: name },
    ...(address === undefined ? {} : { addresses: { [network]: address } }),
    Status: { Timestamp: time, State: 'running', Message: 'attached', PortStatus: {} },
  }
}

export const isAttachment = ({ Spec }: KeptTask): boolean => Spec.NetworkAttachmentSpec !== undefined
