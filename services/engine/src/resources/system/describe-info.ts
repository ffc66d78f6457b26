// Puts together what `GET /info` tells.
import { hostname, totalmem } from 'node:os'
import { basename } from 'node:path'
import { engineVersion } from './engine-version.ts'
import { isExperimental } from './headers.ts'
import * as machine from './machine.ts'
import type { SystemPorts, SystemSettings } from './ports.ts'
import type { Info, Limits } from './schema.ts'

const indexServer = 'https://index.docker.io/v1/'
const loopback = '127.0.0.0/8'
const notKnown = { ID: 'N/A', Expected: 'N/A' }

interface Counted {
  listeners: number
  runtimes: Record<string, { path: string; version: string }>
}

export async function describeInfo(ports: SystemPorts, { listeners, runtimes }: Counted): Promise<Info> {
  const { settings, host } = ports
  const { containers, running, paused, stopped } = ports.containerCounts()
  const [found, limits, images] = await Promise.all([lookAround(settings), limitsOf(ports), ports.imageCount()])
  return {
    ...{ ID: ports.id, Name: hostname(), ServerVersion: engineVersion, DockerRootDir: settings.folder },
    ...{ Containers: containers, ContainersRunning: running, ContainersPaused: paused, ContainersStopped: stopped },
    Images: images,
    ...{ Driver: 'overlay2', DriverStatus: [['Backing Filesystem', found.fileSystem]] },
    Plugins: plugins(settings),
    ...limits,
    ...found.network,
    ...{ Debug: settings.isDebugging, NFd: found.openFiles, NGoroutines: 0, NEventsListener: listeners },
    SystemTime: new Date(ports.clock.now()).toISOString(),
    LoggingDriver: 'json-file',
    CgroupDriver: settings.isRootless ? 'none' : 'cgroupfs',
    CgroupVersion: host.cgroupVersion === 1 ? '1' : '2',
    ...{ KernelVersion: machine.kernelRelease(), OperatingSystem: found.system.name, OSVersion: found.system.version },
    ...{ OSType: 'linux', Architecture: host.architecture, NCPU: host.cpus, MemTotal: totalmem() },
    ...{ IndexServerAddress: indexServer, RegistryConfig: registries(settings) },
    GenericResources:
      settings.genericResources.length === 0 ? null : ([...settings.genericResources] as Info['GenericResources']),
    ...proxies(),
    ...{ Labels: [...settings.labels], ExperimentalBuild: isExperimental },
    Runtimes: Object.fromEntries(Object.entries(runtimes).map(([name, { path }]) => [name, { path, status: {} }])),
    DefaultRuntime: settings.defaultRuntime,
    Swarm: swarm(ports),
    // Containers outlive the engine, always.
    LiveRestoreEnabled: true,
    Isolation: '',
    InitBinary: host.initPath === undefined ? '' : basename(host.initPath),
    ...{ ContainerdCommit: notKnown, InitCommit: notKnown },
    RuncCommit: runtimes.runc === undefined ? notKnown : { ID: runtimes.runc.version, Expected: runtimes.runc.version },
    SecurityOptions: securityOptions(settings),
    ProductLicense: 'Apache-2.0',
    DefaultAddressPools: [...settings.addressPools],
    Warnings: [...warningsOf(limits, found.network.IPv4Forwarding), ...settings.warnings],
    ...{ CDISpecDirs: [], Containerd: null },
  }
}

async function lookAround({ folder }: SystemSettings) {
  const [system, fileSystem, openFiles, IPv4Forwarding, BridgeNfIptables, BridgeNfIp6tables] = await Promise.all([
    machine.readSystemName(),
    machine.fileSystemOf(folder),
    machine.openFiles(),
    machine.isOn('/proc/sys/net/ipv4/ip_forward'),
    machine.isOn('/proc/sys/net/bridge/bridge-nf-call-iptables'),
    machine.isOn('/proc/sys/net/bridge/bridge-nf-call-ip6tables'),
  ])
  return { system, fileSystem, openFiles, network: { IPv4Forwarding, BridgeNfIptables, BridgeNfIp6tables } }
}

/** ENG-068, ENG-069: what cgroups of version 2 do not have is left out. */
async function limitsOf({ host: { controls, cgroupVersion } }: SystemPorts): Promise<Limits> {
  const kernelMemory =
    cgroupVersion === 1
      ? { KernelMemory: await machine.exists('/sys/fs/cgroup/memory/memory.kmem.limit_in_bytes') }
      : {}
  return {
    MemoryLimit: controls.has('memory'),
    SwapLimit: controls.has('swap'),
    ...kernelMemory,
    ...(controls.has('kernel-tcp') ? { KernelMemoryTCP: true } : {}),
    CpuCfsPeriod: controls.has('cpu-quota'),
    CpuCfsQuota: controls.has('cpu-quota'),
    CPUShares: controls.has('cpu-shares'),
    CPUSet: controls.has('cpuset'),
    PidsLimit: controls.has('pids'),
    OomKillDisable: controls.has('oom-kill-disable'),
  }
}

const plugins = ({ drivers }: SystemSettings): Info['Plugins'] => ({
  Volume: [...drivers.volume],
  Network: [...drivers.network],
  Authorization: [],
  Log: [...drivers.log],
})

const registries = ({ registry }: SystemSettings): Info['RegistryConfig'] => ({
  InsecureRegistryCIDRs: [loopback],
  IndexConfigs: Object.fromEntries([
    ['docker.io', { Name: 'docker.io', Mirrors: [...registry.mirrors], Secure: true, Official: true }],
    ...registry.insecure.map((name) => [name, { Name: name, Mirrors: [], Secure: false, Official: false }]),
  ]),
  Mirrors: [...registry.mirrors],
})

const proxies = (): Pick<Info, 'HttpProxy' | 'HttpsProxy' | 'NoProxy'> => ({
  HttpProxy: machine.proxyOf('HTTP_PROXY'),
  HttpsProxy: machine.proxyOf('HTTPS_PROXY'),
  NoProxy: process.env.NO_PROXY ?? process.env.no_proxy ?? '',
})

function swarm({ swarmState, swarmCluster, swarmNode }: SystemPorts): Info['Swarm'] {
  const [state = ''] = swarmState().split('/')
  const isManager = swarmState() === 'active/manager'
  const cluster = isManager ? swarmCluster?.() : undefined
  return {
    NodeID: '',
    NodeAddr: '',
    LocalNodeState: state,
    ControlAvailable: isManager,
    Error: '',
    RemoteManagers: null,
    ...swarmNode?.(),
    ...(cluster === undefined ? {} : { Cluster: cluster }),
  }
}

function securityOptions({ isRootless, hasUserNamespaces, noNewPrivileges }: SystemSettings): string[] {
  return [
    'name=seccomp,profile=builtin',
    ...(isRootless ? ['name=rootless'] : []),
    ...(hasUserNamespaces ? ['name=userns'] : []),
    ...(noNewPrivileges ? ['name=no-new-privileges'] : []),
  ]
}

function warningsOf(limits: Limits, isForwarding: boolean): string[] {
  const missing: [boolean, string][] = [
    [limits.MemoryLimit, 'No memory limit support'],
    [limits.SwapLimit, 'No swap limit support'],
    [limits.CpuCfsQuota, 'No cpu cfs quota support'],
    [limits.CPUShares, 'No cpu shares support'],
    [limits.CPUSet, 'No cpuset support'],
    [limits.PidsLimit, 'No pids limit support'],
    [isForwarding, 'IPv4 forwarding is disabled'],
  ]
  return missing.filter(([isThere]) => !isThere).map(([, warning]) => `WARNING: ${warning}`)
}
