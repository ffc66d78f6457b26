// Lets a container run: mounts, file system, configuration, process, networks, and only then the program itself.
import { setTimeout as delay } from 'node:timers/promises'
import { conflict, systemError } from '../../errors.ts'
import type { AttachedNetworks } from '../../network/networking.ts'
import type { ContainerProcess, ExitRecord, OciSpec, Rootfs } from '../../runtime/runtime.ts'
import type { Container, Run } from './container.ts'
import { seconds, within } from './deadline.ts'
import { handleEnd } from './ended.ts'
import { networked, restingEndpoints } from './endpoints.ts'
import { writeEtcFiles, writeHosts } from './etc-files.ts'
import { startHealthChecks } from './health.ts'
import { joinedContainer } from './host-config.ts'
import { linkedContainers, linkVariables } from './links.ts'
import { logSettings } from './log-config.ts'
import type { ContainerRecord, MountPoint } from './record.ts'
import { describeStartFailure } from './start-failure.ts'
import { timestampOf } from './timestamps.ts'
import type { World } from './world.ts'

/** Copying an image's content into a new volume may take a while. */
const prepareDeadline = seconds(300)
const createDeadline = seconds(60)
const networkDeadline = seconds(60)
const hookDeadline = seconds(15)
const undoDeadline = seconds(30)
const retryDelay = seconds(1)

export class StartFailure extends Error {
  readonly answer: Error

  constructor(answer: Error) {
    super(answer.message)
    this.answer = answer
  }
}

/** Must run alone on its container, which does not run. Leaves nothing behind when it fails. */
export async function launch(world: World, container: Container, detachKeys?: readonly number[]): Promise<void> {
  refuseUnstartable(container)
  container.cancelRestart()
  const attempt: Attempt = { isCreated: false, mounts: [] }
  const record = { ...container.record }
  try {
    await within(networkDeadline, 'asking for addresses', world.ports.networking.admit(record))
    const rootfs = await prepareFiles(world, record, attempt)
    record.mounts = attempt.mounts
    const process = await prepare(world, record, rootfs)
    attempt.isCreated = true
    const { pid } = await within(createDeadline, 'creating the process', world.ports.runtime.create(process))
    await within(createDeadline, 'checking mounts', world.ports.mounts.verify(pid, record.mounts))
    const attached = await attach(world, record, pid)
    await within(hookDeadline, 'connecting clients', world.hooks.beforeStart(record.id, detachKeys))
    await begin(world, container, pid, { ...attached, mounts: record.mounts })
  } catch (error) {
    await undo(world, container, attempt)
    world.hooks.startFailed(record.id)
    throw await noteFailure(container, error)
  }
  world.ports.mounts.announce('mount', record.id, record.mounts)
  world.emit(container.record, 'start')
}

interface Attempt {
  isCreated: boolean
  /** Prepared, and to be given back. */
  mounts: MountPoint[]
}

function refuseUnstartable({ state, isRemoving }: Container): void {
  if (state.status === 'paused') throw conflict('cannot start a paused container, try unpause instead')
  if (isRemoving || state.status === 'removing' || state.status === 'dead') {
    throw conflict('container is marked for removal and cannot be started')
  }
}

async function prepareFiles(world: World, { id, imageId, mounts }: ContainerRecord, attempt: Attempt): Promise<Rootfs> {
  const { ports } = world
  const rootfs = await within(createDeadline, 'the file system', ports.images.rootfs(id, imageId))
  const prepared = ports.mounts.prepare(id, mounts, rootfs.lower)
  try {
    attempt.mounts = await within(prepareDeadline, 'preparing mounts', prepared)
  } catch (error) {
    // Too late for this start, they are not to stay.
    prepared.then((late) => ports.mounts.release(id, late)).catch(() => undefined)
    throw error
  }
  return rootfs
}

async function prepare(world: World, record: ContainerRecord, rootfs: Rootfs): Promise<ContainerProcess> {
  const { config, hostConfig, id } = record
  const joined = joinedPids(world, record)
  const files = await within(createDeadline, 'writing files', writeEtcFiles(world, record))
  const ipc = joinedContainer(hostConfig.IpcMode)
  const ipcOwner = ipc === undefined ? {} : { ipcOwner: ipcOwnerOf(world, ipc) }
  const input = { record, rootfs, files, joined, ...ipcOwner }
  const spec = await within(createDeadline, 'the configuration', world.ports.specs.build(input))
  const { ConsoleSize: size } = hostConfig
  const tty = config.Tty === true
  return {
    id,
    runtime: hostConfig.Runtime ?? world.ports.defaults.runtime,
    spec: withLinks(world, record, spec),
    rootfs,
    tty,
    ...(tty && size !== undefined && size[0] > 0 && size[1] > 0 ? { consoleSize: size } : {}),
    openStdin: config.OpenStdin === true,
    stdinOnce: config.StdinOnce === true,
    log: logSettings(hostConfig.LogConfig, world.folderOf(id)),
  }
}

/** ENG-144: what is private stays private. */
function ipcOwnerOf({ registry }: World, name: string): string {
  const { id, record } = registry.get(name)
  if (record.hostConfig.IpcMode === 'shareable') return id
  throw conflict(
    `can't join IPC of container ${id}: non-shareable IPC (hint: use IpcMode:shareable for the donor container)`,
  )
}

function withLinks(world: World, record: ContainerRecord, spec: OciSpec): OciSpec {
  const variables = linkVariables(record, linkedContainers(world, record))
  if (variables.length === 0) return spec
  return { ...spec, process: { ...spec.process, env: [...variables, ...spec.process.env] } }
}

function joinedPids({ registry }: World, { id: ownId, hostConfig }: ContainerRecord) {
  const pidOf = (kind: string, mode: string | undefined): number | undefined => {
    const other = joinedContainer(mode)
    if (other === undefined) return undefined
    const { state, id } = registry.get(other)
    if (id === ownId) throw conflict(`cannot join own ${kind}`)
    if (state.pid !== 0) return state.pid
    const words = `cannot join namespace of a non running container: container ${id} is not running`
    throw kind === 'network' ? conflict(words) : systemError(`failed to join ${kind} namespace: ${words}`)
  }
  const network = pidOf('network', hostConfig.NetworkMode)
  const pid = pidOf('PID', hostConfig.PidMode)
  const ipc = pidOf('IPC', hostConfig.IpcMode)
  return {
    ...(network === undefined ? {} : { network }),
    ...(pid === undefined ? {} : { pid }),
    ...(ipc === undefined ? {} : { ipc }),
  }
}

/** A container in another's network, or with none at all, has nothing to be attached. */
async function attach(world: World, record: ContainerRecord, pid: number): Promise<AttachedNetworks> {
  if (Object.keys(record.endpoints).length === 0) return { endpoints: {}, ports: {} }
  const attached = await within(
    networkDeadline,
    'attaching networks',
    world.ports.networking.attach(networked(record, pid)),
  )
  await writeHosts(world, { ...record, endpoints: attached.endpoints })
  return attached
}

/** The record is on its way to the disk while the program starts; both are done before anybody is told. */
async function begin(
  world: World,
  container: Container,
  pid: number,
  attached: AttachedNetworks & Pick<ContainerRecord, 'mounts'>,
): Promise<void> {
  const startedAtMs = world.now()
  const running = (record: ContainerRecord): ContainerRecord => ({
    ...record,
    ...attached,
    state: {
      status: 'running',
      pid,
      exitCode: 0,
      error: '',
      oomKilled: false,
      startedAt: timestampOf(startedAtMs),
      finishedAt: record.state.finishedAt,
      stoppedByCaller: false,
    },
  })
  const beginning = Promise.withResolvers<void>()
  container.beginning = beginning.promise
  try {
    const [started, saved] = await Promise.allSettled([
      within(createDeadline, 'starting the program', world.ports.runtime.start(container.id)),
      container.change(running),
    ])
    if (started.status === 'rejected') throw started.reason
    if (saved.status === 'rejected') throw saved.reason
    follow(world, container, { pid, startedAtMs })
  } finally {
    container.beginning = undefined
    beginning.resolve()
  }
}

/** From here on its end is noticed. Also for containers found again after a restart of the engine. */
export function follow(
  world: World,
  container: Container,
  { pid, startedAtMs }: { pid: number; startedAtMs: number },
): void {
  let settle: (exit: ExitRecord) => void = () => {}
  const ended = new Promise<ExitRecord>((resolve) => {
    settle = resolve
  })
  const run: Run = { pid, startedAtMs, ended, isStopAsked: false }
  container.run = run
  startHealthChecks(world, container)
  releaseNetworks(world, container)
  world.ports.runtime
    .exited(container.id)
    .catch((error: unknown): ExitRecord => {
      world.warn(container, error, 'The end of a container is not known')
      return { exitCode: unknownExit, oomKilled: false, finishedAt: timestampOf(world.now()) }
    })
    .then(async (exit) => {
      await noteEnd(world, container, run, exit)
      settle(exit)
    })
    .catch((error: unknown) => world.warn(container, error, 'The end of a container could not be told'))
}

/** As soon as the process has ended, while its shim cleans up. Whoever handles the end waits for the same. */
function releaseNetworks({ ports }: World, { id }: Container): void {
  ports.runtime
    .ending?.(id)
    .then(() => ports.networking.detach(id))
    .catch(() => undefined)
}

/** A disk that is full, or a database that is away, may come back. */
async function noteEnd(world: World, container: Container, run: Run, exit: ExitRecord): Promise<void> {
  while (!world.isClosed) {
    try {
      return await handleEnd(world, container, { run, exit, launch })
    } catch (error) {
      world.warn(container, error, 'The end of a container could not be noted; it is tried again')
      await delay(retryDelay, undefined, { ref: false })
    }
  }
}

/** For one whose end nobody saw. */
export const unknownExit = 255

async function undo(world: World, container: Container, { isCreated, mounts }: Attempt): Promise<void> {
  world.ports.mounts.release(container.id, mounts)
  const { networking, runtime } = world.ports
  const destroy = () => runtime.destroy(container.id)
  for (const step of [() => networking.detach(container.id), ...(isCreated ? [destroy] : [])]) {
    await within(undoDeadline, 'undoing a failed start', step()).catch((error: unknown) =>
      world.warn(container, error, 'A failed start left something behind'),
    )
  }
}

async function noteFailure(container: Container, error: unknown): Promise<StartFailure> {
  const { answer, exitCode } = describeStartFailure(container.record, error)
  await container.change((record) => ({
    ...record,
    endpoints: restingEndpoints(record),
    ports: {},
    state: {
      ...record.state,
      status: record.state.status === 'created' ? 'created' : 'exited',
      pid: 0,
      exitCode,
      error: answer.message,
    },
  }))
  return new StartFailure(answer)
}
