// Devices in a container, and what its control group lets it do with devices.
import { realpath } from 'node:fs/promises'
import { invalidParameter, systemError } from '../../errors.ts'
import type { HostConfig } from '../../resources/containers/schema.ts'
import type { OciResources, OciSpec } from '../runtime.ts'
import { type DeviceNode, readDevice, readDevices } from './device-nodes.ts'
import type { HostFacts } from './host.ts'

type Rules = NonNullable<OciResources['devices']>
type SpecDevices = NonNullable<OciSpec['linux']['devices']>

/** What was found of the devices a container names: read before its spec is built. */
export interface FoundDevices {
  /** By HostConfig.Devices' PathOnHost: the device itself, or all below a folder, whose real place is `top`. */
  named: ReadonlyMap<string, { top: string; nodes: readonly DeviceNode[] }>
  /** For block I/O limits. */
  blocks: ReadonlyMap<string, DeviceNode>
  /** All of the host: for privileged containers. */
  all: readonly DeviceNode[]
}

/** The runtimes make these themselves. Terminals are their own mount. */
const ownOfContainer =
  /^\/dev\/(null|zero|full|random|urandom|tty|console|ptmx|pts|shm|mqueue|fd|std(in|out|err))(\/|$)/

export async function findDevices(hostConfig: HostConfig): Promise<FoundDevices> {
  const named = new Map<string, { top: string; nodes: DeviceNode[] }>()
  for (const { PathOnHost } of hostConfig.Devices ?? []) {
    const one = await readDevice(PathOnHost)
    const top = one === undefined ? await realpath(PathOnHost).catch(() => PathOnHost) : PathOnHost
    const nodes = one === undefined ? await readDevices(top) : [one]
    if (nodes.length > 0) named.set(PathOnHost, { top, nodes })
  }
  const blocks = new Map<string, DeviceNode>()
  for (const path of blockPaths(hostConfig)) {
    const found = await readDevice(path)
    if (found !== undefined) blocks.set(path, found)
  }
  const all = hostConfig.Privileged ? await readDevices('/dev') : []
  return { named, blocks, all: all.filter(({ path }) => !ownOfContainer.test(path)) }
}

const blockPaths = (hostConfig: HostConfig): string[] =>
  [
    hostConfig.BlkioWeightDevice,
    hostConfig.BlkioDeviceReadBps,
    hostConfig.BlkioDeviceWriteBps,
    hostConfig.BlkioDeviceReadIOps,
    hostConfig.BlkioDeviceWriteIOps,
  ].flatMap((list) => (list ?? []).map(({ Path }) => Path))

/** Nothing but these, and making nodes, which alone does no harm. */
const defaultRules: Rules = [
  { allow: false, access: 'rwm' },
  { allow: true, type: 'c', access: 'm' },
  { allow: true, type: 'b', access: 'm' },
  ...[
    [1, 3],
    [1, 5],
    [1, 7],
    [1, 8],
    [1, 9],
    [5, 0],
    [5, 1],
    [5, 2],
  ].map(([major, minor]) => ({ allow: true, type: 'c', major: major ?? 0, minor: minor ?? 0, access: 'rwm' })),
  { allow: true, type: 'c', major: 136, access: 'rwm' },
]

export function chooseDevices(
  hostConfig: HostConfig,
  found: FoundDevices,
  host: HostFacts,
): { devices: SpecDevices; rules: Rules } {
  if (hostConfig.Privileged) return { devices: found.all.map(specDevice), rules: [{ allow: true, access: 'rwm' }] }
  const asked = (hostConfig.Devices ?? []).flatMap((device) => placed(device, found))
  const gpus = requestedDevices(hostConfig, host).map((node) => ({ node, access: 'rwm' }))
  const given = [...asked, ...gpus]
  return {
    devices: given.map(({ node }) => specDevice(node)),
    rules: [
      ...defaultRules,
      ...given.map(({ node: { type, major, minor }, access }) => ({ allow: true, type, major, minor, access })),
      ...(hostConfig.DeviceCgroupRules ?? []).map(parseRule),
    ],
  }
}

const specDevice = ({ path, type, major, minor, fileMode, uid, gid }: DeviceNode) => ({
  path,
  type,
  major,
  minor,
  fileMode,
  uid,
  gid,
})

type AskedDevice = NonNullable<HostConfig['Devices']>[number]

function placed({ PathOnHost, PathInContainer, CgroupPermissions }: AskedDevice, found: FoundDevices) {
  const known = found.named.get(PathOnHost)
  if (known === undefined) {
    throw invalidParameter(
      `error gathering device information while adding custom device "${PathOnHost}": no such device on the host`,
    )
  }
  const inside = PathInContainer || PathOnHost
  const access = CgroupPermissions || 'rwm'
  return known.nodes.map((node) => ({ node: { ...node, path: inside + node.path.slice(known.top.length) }, access }))
}

const ruleForm = /^([acb]) (\d+|\*):(\d+|\*) ([rwm]{1,3})$/

export const checkDeviceRules = ({ DeviceCgroupRules = [] }: HostConfig): string[] =>
  DeviceCgroupRules.filter((rule) => !ruleForm.test(rule)).map((rule) => `invalid device cgroup rule format: '${rule}'`)

function parseRule(text: string): Rules[number] {
  const [, type = 'a', major = '*', minor = '*', access = 'rwm'] = ruleForm.exec(text) ?? []
  const number = (name: 'major' | 'minor', value: string) => (value === '*' ? {} : { [name]: Number(value) })
  return { allow: true, type, ...number('major', major), ...number('minor', minor), access }
}

type DeviceRequest = NonNullable<HostConfig['DeviceRequests']>[number]

/** Graphics processors whose device nodes are there. Programs bring their own libraries. */
function requestedDevices({ DeviceRequests = [] }: HostConfig, host: HostFacts): DeviceNode[] {
  const gpus = new Set(DeviceRequests.flatMap((request) => requestedGpus(request, host)))
  return gpus.size === 0 ? [] : [...gpus, ...host.gpuControls]
}

function requestedGpus(request: DeviceRequest, host: HostFacts): DeviceNode[] {
  const problem = requestProblem(request, host)
  if (problem !== undefined) throw systemError(problem)
  const { Count = 0, DeviceIDs = [] } = request
  if (DeviceIDs.length > 0) return host.gpus.filter(({ path }) => DeviceIDs.some((id) => path === `/dev/nvidia${id}`))
  return Count < 0 ? [...host.gpus] : host.gpus.slice(0, Count)
}

function requestProblem({ Driver = '', Count = 0, DeviceIDs = [], Capabilities = [] }: DeviceRequest, host: HostFacts) {
  const isForGpus = (Driver === '' || Driver === 'nvidia') && Capabilities.some((all) => all.includes('gpu'))
  if (!isForGpus || host.gpus.length === 0) {
    const wanted = Capabilities.map((all) => `[${all.join(' ')}]`).join(' ')
    return `could not select device driver "${Driver}" with capabilities: [${wanted}]`
  }
  if (DeviceIDs.length > 0 && Count !== 0) return 'cannot set both Count and DeviceIDs on device request'
  const missing = DeviceIDs.filter((id) => !host.gpus.some(({ path }) => path === `/dev/nvidia${id}`))
  if (missing.length > 0) return `unknown device: ${missing.join(', ')}`
  if (Count > host.gpus.length) return `${Count} devices were requested, and the host has ${host.gpus.length}`
  return undefined
}

/** Requests are taken at creation, and fail at the start when they cannot be met: that is said ahead. */
export const deviceRequestWarnings = ({ DeviceRequests = [] }: HostConfig, host: HostFacts): string[] =>
  DeviceRequests.flatMap((request) => {
    const problem = requestProblem(request, host)
    return problem === undefined ? [] : [`This container cannot start on this host as it is: ${problem}.`]
  })
