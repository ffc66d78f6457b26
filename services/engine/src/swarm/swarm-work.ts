// What runs on a machine while it is in a swarm: tasks on every node; on a manager also who looks after them.
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Kernel } from '@atoll/kernel/kernel'
import { isNotFound } from '../errors.ts'
import type { EngineEvents } from '../events/engine-events.ts'
import type { ImageRegistry } from '../images/image-registry.ts'
import type { Images } from '../images/images.ts'
import type { BridgeNetworking } from '../network/bridge-networking.ts'
import { ContainerQueue } from '../network/container-queue.ts'
import type { Guests } from '../network/guests.ts'
import type { CsiPlugins } from '../plugins/csi/csi-plugins.ts'
import type { LogsQuery } from '../resources/containers/logs/logs-query.ts'
import type { Logs } from '../resources/containers/logs/service.ts'
import type { Containers } from '../resources/containers/service.ts'
import type { Networks } from '../resources/networks/service.ts'
import type { Volumes } from '../resources/volumes/service.ts'
import { type WorkerIdentity, writeIdentity } from './identity/node-identity.ts'
import { swarmId } from './identity/tokens.ts'
import { AddressMirror } from './manager/address-mirror.ts'
import type { Admission } from './manager/admission.ts'
import { Allocator } from './manager/allocator.ts'
import { followRotation } from './manager/authority-rotation.ts'
import { GuestAddresses } from './manager/guest-addresses.ts'
import { takeOverNetworks } from './manager/kept-networks.ts'
import { Leadership } from './manager/leadership.ts'
import { relayLogs } from './manager/log-relay.ts'
import { Members } from './manager/members.ts'
import { MeshWatch } from './manager/mesh-watch.ts'
import { Orchestrator } from './manager/orchestrator.ts'
import { WorkerGate } from './manager/worker-gate.ts'
import { clusterOf, type Membership } from './membership.ts'
import type { MeshSink } from './session/mesh.ts'
import { ChangeQueue } from './store/change-queue.ts'
import type { LedStore } from './store/led-store.ts'
import type { OutsideEtcdSettings } from './store/outside-etcd-settings.ts'
import { Retries } from './store/retries.ts'
import { describeNode, type NodeFacts } from './this-node.ts'
import { NodeVolumes } from './volumes/node-volumes.ts'
import { VolumeKeeper } from './volumes/volume-keeper.ts'
import { writeReports } from './volumes/volume-reports.ts'
import { secretsOf } from './volumes/volume-secrets.ts'
import { watchVolumes } from './volumes/volume-watch.ts'
import { Attachments } from './worker/attachments.ts'
import { Balancing } from './worker/balancing.ts'
import type { Dispatcher } from './worker/dispatcher.ts'
import { LocalDispatcher } from './worker/local-dispatcher.ts'
import { ManagerLink } from './worker/manager-link.ts'
import { Mesh } from './worker/mesh.ts'
import { RemoteDispatcher } from './worker/remote-dispatcher.ts'
import { TaskFiles } from './worker/task-files.ts'
import { networksOf } from './worker/task-networks.ts'
import { Worker } from './worker/worker.ts'
import { WorkerGuests } from './worker/worker-guests.ts'

export interface SwarmParts {
  kernel: Pick<Kernel, 'clock' | 'ids' | 'log'>
  events: EngineEvents
  folder: string
  facts(): NodeFacts
  /** Where new swarms are kept; undefined: in an etcd of this machine. */
  outside: OutsideEtcdSettings | undefined
  containers: Containers
  images: Images
  registry: Pick<ImageRegistry, 'pull'>
  networks: Networks
  volumes: Volumes
  csi: CsiPlugins
  networking: BridgeNetworking
  logs: Logs
}

/** What runs while this machine is in a swarm. */
export interface SwarmWork {
  /** Volumes of the cluster that are on this machine, or are to be. */
  volumes: Pick<NodeVolumes, 'all'>

  /** Until `stop`. `isLeaving`: nothing of the swarm stays on this machine. */
  stop(isLeaving: boolean): Promise<void>
}

export interface ManagerWork extends SwarmWork {
  /** What a task on another node has said; undefined where that node is not here now. */
  openLogs(nodeId: string, taskId: string, query: LogsQuery): Readable | undefined
}

/** What managers decide about a worker. */
export interface WorkerCalls {
  /** They no longer want this node, for this reason. */
  refused(reason: string): void
  /** This node is to be a manager. */
  promoted(): void
}

export interface WorkerWork extends SwarmWork {
  /** As it is now: certificates are renewed, and managers come and go. */
  identity(): WorkerIdentity
  /** Every task of this node is known for the first time. */
  opened: Promise<void>
  /** Containers that are put on its networks by hand. */
  guests: Guests
  /** Managers are told, where one can be reached. */
  leave(): Promise<void>
}

/** Looks after services while it leads, and runs the tasks of this machine. */
export async function beginManager(parts: SwarmParts, membership: Membership): Promise<ManagerWork> {
  const { kernel, events, containers, networks } = parts
  const { clock, ids, log } = kernel
  const { store, client, identity } = membership
  const { nodeId } = identity
  const newId = () => swarmId(ids.hex())
  const network = (id: string) => networks.liveOfSwarm(id)
  const reports = new ChangeQueue(store, 'task')
  const dispatcherOf = (id: string) =>
    new LocalDispatcher({
      ...{ membership, clock, reports, nodeId: id },
      network: (target) => assignedNetwork(networks, target),
    })
  const watchMesh = (id: string, sink: MeshSink) =>
    new MeshWatch({ store, nodeId: id, port: () => clusterOf(membership).DataPathPort }, sink)
  const readLogs = (taskId: string, query: LogsQuery) => readTaskLogs(parts, taskId, query)
  const members = new Members({ client, store, nodeId, log })
  const gate = new WorkerGate({ membership, clock, log, members, newId, dispatcherOf, watchMesh, readLogs })
  await gate.start()
  await takeOverNetworks(membership, networks.recordsOfSwarm())
  const mirror = new AddressMirror({ store, network })
  const { mesh, balancing } = openMesh(parts, (id) => mirror.came(id))
  const volumes = new NodeVolumes({ plugins: parts.csi, log })
  const stopVolumes = watchVolumes({ store, nodeId, secretsOf: secretsOf(membership), log }, volumes)
  const writes = new Retries(log)
  volumes.connected(writeReports(store, nodeId, writes))
  const worker = newWorker(parts, dispatcherOf(nodeId), { mesh, volumes })
  await worker.start()
  const meshWatch = watchMesh(nodeId, mesh)
  mesh.keepOnly(meshWatch.networks)
  const attachments = new Attachments({
    ...{ store, events, log, newId, nodeId },
    containers: () => containers.all(),
    attached: () => networks.attachedOfSwarm(),
    now: () => clock.now(),
  })
  const lead = (led: LedStore) => beginLeading(parts, membership, led, { members, gate, mirror })
  const leadership = new Leadership({ client, store, nodeId, log, lead })
  await leadership.start()
  return {
    volumes,
    openLogs: (id, taskId, query) =>
      gate.openLogs(id, taskId, query) ?? relayedLogs(membership, gate.admission, id, { taskId, query }),
    async stop(isLeaving) {
      void writes.stop()
      await leadership.stop()
      members.stop()
      await gate.stop()
      mirror.stop()
      await attachments.stop()
      meshWatch.stop()
      mesh.stop()
      await worker.stop(isLeaving)
      stopVolumes()
      await volumes.stop(isLeaving)
      await balancing.stop(isLeaving)
      if (isLeaving) await networks.removeOfSwarm()
    },
  }
}

interface Led {
  members: Members
  gate: WorkerGate
  mirror: AddressMirror
}

/** Looks after everything that the swarm has, until what it returns is called. */
async function beginLeading(
  { kernel, networks, csi }: SwarmParts,
  membership: Membership,
  store: LedStore,
  { members, gate, mirror }: Led,
): Promise<() => Promise<void>> {
  const { clock, ids, log } = kernel
  const newId = () => swarmId(ids.hex())
  const allocator = new Allocator({ store, log, mirror, network: (id) => networks.liveOfSwarm(id) })
  const turns = new ContainerQueue()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => turns.run('volumes', work)
  const keeper = new VolumeKeeper({ store, log, plugins: csi, secretsOf: secretsOf(membership), inTurn })
  const cluster = () => clusterOf(membership)
  const orchestrator = new Orchestrator({ store, clock, log, newId, allocator, cluster, inTurn })
  const stopMembers = membership.identity.isOutside === true ? () => {} : members.keep()
  const stopRotation = followRotation(membership, store, log)
  const guests = new GuestAddresses({ store, allocator, log, newId, now: () => clock.now() })
  gate.lead(store, guests)
  return async () => {
    gate.follow()
    stopMembers()
    stopRotation()
    orchestrator.stop()
    keeper.stop()
    await guests.stop()
    await allocator.stop()
  }
}

/** By way of the manager that has the node, or is it; undefined where there is none. */
function relayedLogs(
  { store, identity }: Membership,
  admission: Admission,
  nodeId: string,
  { taskId, query }: { taskId: string; query: LogsQuery },
): Readable | undefined {
  const node = store.get('node', nodeId)
  const address = node?.Spec.Role === 'manager' ? node.ManagerStatus?.Addr : admission.leader
  if (address === undefined || address === identity.advertiseAddress) return undefined
  return laterStream(async () => {
    const { authority } = admission
    return relayLogs(address, { ...(await admission.ownCredentials()), authority }, taskId, query)
  })
}

function readTaskLogs({ containers, logs }: SwarmParts, taskId: string, query: LogsQuery): Readable {
  const container = containers.all().find((one) => one.taskId === taskId)
  if (container === undefined) throw new Error('its container is gone')
  return logs.read(container, query)
}

function openMesh({ kernel, containers, networks, networking }: SwarmParts, came: (networkId: string) => void) {
  const balancing = new Balancing({
    ...{ log: kernel.log, balancer: networking.balancer, containers: () => containers.all() },
    network: (id) => networks.liveOfSwarm(id),
  })
  return { balancing, mesh: new Mesh({ networks, networking, balancing, came, log: kernel.log }) }
}

/** Runs the tasks of this machine, as a manager elsewhere tells. */
export function beginWorker(
  parts: SwarmParts,
  identity: WorkerIdentity,
  { refused, promoted }: WorkerCalls,
): WorkerWork {
  const { kernel, folder, facts } = parts
  const dispatcher = new RemoteDispatcher(kernel.clock)
  const { mesh, balancing } = openMesh(parts, () => {})
  const volumes = new NodeVolumes({ plugins: parts.csi, log: kernel.log })
  const worker = newWorker(parts, dispatcher, { mesh, volumes })
  const guests = new WorkerGuests({
    ...{ mesh, newId: () => swarmId(kernel.ids.hex()), attached: () => parts.networks.attachedOfSwarm() },
    isTask: (id) => parts.networks.ofSwarm?.isTask(id) === true,
  })
  const stopListening = parts.events.listen(({ Type, Action, Actor }) => {
    if (Type === 'container' && Action === 'rename') guests.renamed(Actor.ID)
  })
  let starting: Promise<void> | undefined
  let stopping: Promise<void> | undefined
  const stop = (isLeaving: boolean): Promise<void> => {
    const ended = link.stop()
    stopListening()
    stopping ??= Promise.all([starting, ended]).then(async () => {
      mesh.stop()
      await worker.stop(isLeaving)
      await volumes.stop(isLeaving)
      await balancing.stop(isLeaving)
      if (isLeaving) await parts.networks.removeOfSwarm()
    })
    return stopping
  }
  let isOpen = (): void => {}
  const opened = new Promise<void>((resolve) => {
    isOpen = resolve
  })
  const link = new ManagerLink({
    ...{ identity, dispatcher, mesh, guests, volumes, clock: kernel.clock, log: kernel.log },
    describe: () => describeNode(facts()),
    tunnelKey: () => parts.networking.tunnelKey(),
    readLogs: (taskId, query) => readTaskLogs(parts, taskId, query),
    promoted,
    save: (changed) => writeIdentity(join(folder, 'swarm'), changed),
    // Not before: what it does not know to be its own it would remove.
    opened() {
      starting ??= worker.start()
      starting.then(isOpen, (error: Error) => kernel.log.error({ error: error.message }, 'tasks cannot be run here'))
    },
    refused(reason) {
      refused(reason)
      void stop(true)
    },
  })
  return {
    opened,
    stop,
    guests,
    volumes,
    identity: () => link.identity,
    async leave() {
      await link.leave()
      await stop(true)
    },
  }
}

function newWorker(
  parts: SwarmParts,
  dispatcher: Dispatcher,
  { mesh, volumes }: { mesh: Mesh; volumes: NodeVolumes },
): Worker {
  const { kernel, events, folder, containers, images, registry } = parts
  return new Worker(
    {
      ...{ containers, images, registry, dispatcher, networksOf },
      files: new TaskFiles(join(folder, 'swarm')),
      hasNetwork: (id) => mesh.has(id),
      volumePath: (id, signal) => volumes.path(id, signal),
      onHealth: (id, changed) =>
        events.listen(({ Type, Action, Actor }) => {
          if (Type === 'container' && Actor.ID === id && Action.startsWith('health_status')) changed()
        }),
    },
    kernel.log,
  )
}

/** Of a stream that has to be asked for first. */
function laterStream(open: () => Promise<Readable>): Readable {
  return Readable.from(
    (async function* () {
      yield* await open()
    })(),
    { objectMode: false },
  )
}

/** Undefined where it is no longer there. */
function assignedNetwork(networks: Networks, id: string) {
  try {
    const { Name, Scope } = networks.inspect(id, { verbose: false })
    return { name: Name, isOfSwarm: Scope === 'swarm' }
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
