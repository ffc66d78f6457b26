// Makes a container: everything is checked first, then its folders and its record are written.
import { mkdir, rm } from 'node:fs/promises'
import {
  invalidParameter,
  invalidParameters,
  noSuchContainer,
  noSuchImage,
  notFound,
  systemError,
} from '../../errors.ts'
import type { Platform, StoredImage } from '../../images/images.ts'
import type { Container } from './container.ts'
import { createProblems, hostnameProblems } from './create-checks.ts'
import { seconds, within } from './deadline.ts'
import { askedEndpoints, type Endpoints, moveInterfaceSysctls } from './endpoints.ts'
import { joinedContainer, withDefaults } from './host-config.ts'
import { withImageConfig } from './image-config.ts'
import { kernelMemoryOf } from './kernel-memory.ts'
import { checkLinked } from './links.ts'
import { newName, readName } from './names.ts'
import type { ContainerRecord } from './record.ts'
import type { ContainerConfig, CreateContainer, HostConfig } from './schema.ts'
import { never, timestampOf } from './timestamps.ts'
import type { World } from './world.ts'

export interface CreateOptions {
  name?: string | undefined
  platform?: Platform | undefined
  /** Of older versions. */
  ways: ReadonlySet<string>
  isBuildStep?: boolean
  /** Of a service of a swarm. */
  taskId?: string
}

export interface Created {
  container: Container
  warnings: string[]
}

const portDeadline = seconds(30)
/** Making a new volume of a slow driver, or copying nothing yet. */
const rootfsDeadline = seconds(60)

export async function createContainer(world: World, asked: CreateContainer, options: CreateOptions): Promise<Created> {
  const { registry, ports } = world
  if (isEmptyConfig(asked)) throw invalidParameter('config cannot be empty in order to create a container')
  const id = ports.ids.hex() + ports.ids.hex()
  const name = options.name ? readName(options.name) : newName(ports.ids.hex, (taken) => registry.isTaken(taken))
  if (!asked.Image && !asked.Cmd?.length && !asked.Entrypoint?.length) throw noCommand(options.ways)
  const { image, warnings } = await findImage(world, asked.Image ?? '', options.platform)
  registry.reserve(name, id)
  try {
    const plan = await planContainer(world, asked, {
      id,
      name,
      image,
      ways: options.ways,
      isTask: options.taskId !== undefined,
    })
    const { isBuildStep, taskId } = options
    const record = {
      ...plan.record,
      ...(isBuildStep === true ? { isBuildStep } : {}),
      ...(taskId === undefined ? {} : { taskId }),
    }
    const container = await makeContainer(world, record, options.ways)
    world.emit(container.record, 'create')
    return { container, warnings: [...warnings, ...plan.warnings] }
  } catch (error) {
    registry.release(name, id)
    throw error
  }
}

/** Settings of the host and of networks are no configuration. */
const isEmptyConfig = ({ HostConfig: _, NetworkingConfig: __, Runtime: ___, ...config }: CreateContainer): boolean =>
  Object.values(config).every((value) => value === undefined)

const isExact = /^sha256:|@|^[0-9a-f]{12,64}$|:[^/]+$/

async function findImage({ ports: { images } }: World, reference: string, platform: Platform | undefined) {
  if (reference === '') throw invalidParameter('invalid reference format: no image was named')
  const image = await within(portDeadline, 'looking up the image', images.find(reference, platform))
  if (image === undefined) throw await missingImage(images, reference, platform)
  const { os, architecture, variant } = image.config
  const host = images.hostPlatform
  const isForeign = os !== host.os || architecture !== host.architecture
  const warnings =
    isForeign && platform === undefined
      ? [
          `The requested image's platform (${platformName({ os, architecture, ...(variant ? { variant } : {}) })}) does not match the detected host platform (${platformName(host)}) and no specific platform was requested`,
        ]
      : []
  return { image, warnings }
}

const platformName = ({ os, architecture, variant }: Platform): string =>
  [os, architecture, ...(variant ? [variant] : [])].join('/')

async function missingImage(images: World['ports']['images'], reference: string, platform: Platform | undefined) {
  const other = platform === undefined ? undefined : await within(portDeadline, 'the image', images.find(reference))
  if (other === undefined || platform === undefined) {
    return noSuchImage(isExact.test(reference) ? reference : `${reference}:latest`)
  }
  const { os, architecture } = other.config
  return notFound(
    `image with reference ${reference} was found but does not match the specified platform: wanted ${platformName(platform)}, actual: ${os}/${architecture}`,
  )
}

interface Identity {
  id: string
  name: string
  image: StoredImage
  ways: ReadonlySet<string>
  isTask: boolean
}

async function planContainer(
  world: World,
  asked: CreateContainer,
  { id, name, image, ways, isTask }: Identity,
): Promise<{ record: ContainerRecord; warnings: string[] }> {
  const { HostConfig: askedHostConfig, NetworkingConfig: _, Runtime: runtime, ...askedConfig } = asked
  const config = withImageConfig(askedConfig, image.config.config)
  const kernelMemory = kernelMemoryOf(askedHostConfig?.KernelMemory, ways)
  const filled = withDefaults(
    {
      ...(askedHostConfig ?? ({} as HostConfig)),
      KernelMemory: kernelMemory.value,
      Runtime: askedHostConfig?.Runtime || runtime,
    },
    world.ports.defaults,
  )
  const network = planNetwork(config, filled, asked, ways)
  const { hostConfig } = network
  const joined = checkJoined(world, hostConfig)
  const command = [...(config.Entrypoint ?? []), ...(config.Cmd ?? [])]
  const [path] = command
  if (path === undefined) throw noCommand(ways)
  const foreign = await foreignProblems(world, config, hostConfig, network.endpoints, isTask)
  const problems = [
    ...createProblems(askedConfig, hostConfig, world.hooks.isLogPlugin),
    ...(ways.has('any-hostname') ? [] : hostnameProblems(askedConfig)),
    ...kernelMemory.problems,
    ...runtimeProblems(world, hostConfig),
    ...foreign.problems,
  ]
  if (problems.length > 0) throw invalidParameters(problems)
  const endpoints = await resolveEndpoints(world, network.endpoints)
  const record: ContainerRecord = {
    id,
    name,
    created: timestampOf(world.now()),
    imageId: image.id,
    imageName: asked.Image ?? '',
    os: image.config.os,
    config: { ...config, Hostname: hostnameOf(world, config, hostConfig, id, joined), Image: asked.Image },
    hostConfig,
    endpoints,
    askedEndpoints: endpoints,
    mounts: [],
    path,
    args: command.slice(1),
    state: newState(),
    restartCount: 0,
    ports: {},
  }
  return { record, warnings: [...network.warnings, ...foreign.warnings] }
}

/** ENG-176 */
const noCommand = (ways: ReadonlySet<string>) =>
  ways.has('no-command-is-fault') ? systemError('No command specified') : invalidParameter('no command specified')

const newState = (): ContainerRecord['state'] => ({
  status: 'created',
  pid: 0,
  exitCode: 0,
  error: '',
  oomKilled: false,
  startedAt: never,
  finishedAt: never,
  stoppedByCaller: false,
})

function planNetwork(
  config: ContainerConfig,
  filled: HostConfig,
  asked: CreateContainer,
  ways: ReadonlySet<string>,
): { hostConfig: HostConfig; endpoints: Endpoints; warnings: string[] } {
  const named = Object.keys(asked.NetworkingConfig?.EndpointsConfig ?? {})
  if (named.length > 1 && ways.has('one-endpoint')) {
    throw invalidParameter(`Container cannot be created with multiple network endpoints: ${named.join(', ')}`)
  }
  const endpoints = askedEndpoints(config, filled, asked)
  const { warnings, ...planned } = ways.has('interface-sysctls')
    ? moveInterfaceSysctls(filled, endpoints)
    : { hostConfig: filled, endpoints, warnings: [] }
  const isDeprecatedMac = Boolean(config.MacAddress) && !ways.has('container-wide-mac')
  const macWarning =
    'The container-wide MacAddress field is now deprecated. It should be specified in EndpointsConfig instead.'
  return { ...planned, warnings: [...warnings, ...(isDeprecatedMac ? [macWarning] : [])] }
}

/** Containers that this one shares something with are there; the one whose network it joins may be made until it starts. */
function checkJoined({ registry }: World, hostConfig: HostConfig): Container | undefined {
  const modes = [hostConfig.IpcMode, hostConfig.PidMode].map(joinedContainer)
  const network = joinedContainer(hostConfig.NetworkMode)
  // Clients take a 404 for a missing image, and pull it.
  for (const other of modes) {
    if (other && registry.find(other) === undefined) throw invalidParameter(noSuchContainer(other).message)
  }
  checkLinked(registry, hostConfig)
  return network ? registry.find(network) : undefined
}

function runtimeProblems({ ports: { defaults } }: World, { Runtime, Isolation }: HostConfig): string[] {
  return [
    ...(Runtime && !defaults.runtimes.includes(Runtime) ? [`unknown or invalid runtime name: ${Runtime}`] : []),
    ...(Isolation && Isolation !== 'default' ? [`invalid isolation: "${Isolation}" is not supported on linux`] : []),
  ]
}

/** What the other parts have to say. */
export async function foreignProblems(
  { ports }: World,
  config: ContainerConfig,
  hostConfig: HostConfig,
  endpoints: Endpoints,
  isTask = false,
) {
  const [specs, mounts, networks] = await within(
    portDeadline,
    'checking the container',
    Promise.all([
      ports.specs.check(config, hostConfig),
      ports.mounts.check(config, hostConfig),
      ports.networking.check(endpoints, isTask),
    ]),
  )
  return { problems: [...specs.problems, ...mounts, ...networks], warnings: specs.warnings }
}

/** By the networks' own names. */
export async function resolveEndpoints({ ports: { networking } }: World, asked: Endpoints): Promise<Endpoints> {
  const resolved = Object.entries(asked).map(async ([network, endpoint]) => {
    const found = await networking.resolve(network)
    if (found === undefined) return [network, endpoint] as const
    return [found.name, { ...endpoint, NetworkID: found.id }] as const
  })
  return Object.fromEntries(await within(portDeadline, 'looking up networks', Promise.all(resolved)))
}

function hostnameOf(
  { ports: { defaults } }: World,
  { Hostname }: ContainerConfig,
  { NetworkMode, UTSMode }: HostConfig,
  id: string,
  joined: Container | undefined,
): string {
  if (Hostname) return Hostname
  if (NetworkMode === 'host' || UTSMode === 'host') return defaults.hostname
  return joined?.record.config.Hostname ?? id.slice(0, 12)
}

/** Folders first, the record last: what has no record is swept at the next start. */
async function makeContainer(world: World, planned: ContainerRecord, ways: ReadonlySet<string>): Promise<Container> {
  const { images, mounts } = world.ports
  const folder = world.folderOf(planned.id)
  let record = planned
  try {
    await mkdir(folder, { recursive: true, mode: 0o710 })
    const rootfs = await within(
      rootfsDeadline,
      'making the file system',
      images.createRootfs(record.id, record.imageId, record.config.WorkingDir || undefined),
    )
    const resolved = await within(
      rootfsDeadline,
      'making volumes',
      mounts.resolve(record.id, record.config, record.hostConfig, ways),
    )
    record = { ...record, rootfs, mounts: resolved.mounts }
    return await world.insert(record)
  } catch (error) {
    await discard(world, record)
    throw error
  }
}

async function discard(world: World, record: ContainerRecord): Promise<void> {
  const { images, mounts } = world.ports
  const steps = [
    () => mounts.removeAnonymous(record.id, record.mounts),
    () => images.removeRootfs(record.id),
    () => rm(world.folderOf(record.id), { recursive: true, force: true }),
  ]
  for (const step of steps) {
    await within(rootfsDeadline, 'cleaning up', step()).catch((error: unknown) =>
      world.warn(record, error, 'A container that could not be made left something behind'),
    )
  }
}
