// From a plugin to a container of the runtime: it gets what its configuration asks for and its user agreed to, and
// nothing else.
import { mkdir, stat } from 'node:fs/promises'
import { systemError } from '../errors.ts'
import { readTmpfs } from '../mounts/tmpfs-options.ts'
import type { ContainerSpecs } from '../resources/containers/ports.ts'
import type { ContainerRecord, MountPoint } from '../resources/containers/record.ts'
import { ContainerConfig, HostConfig } from '../resources/containers/schema.ts'
import { never } from '../resources/containers/timestamps.ts'
import type { PluginMount } from '../resources/plugins/schema.ts'
import type { OciSpec, Rootfs } from '../runtime/runtime.ts'
import { interfaceTypes } from './plugin-config.ts'
import type { PluginRecord } from './plugin-record.ts'

/** Folders of the host that a plugin meets the engine in. */
export interface PluginFolders {
  /** Its socket lies in it. */
  sockets: string
  /** Pipes of logs, for a plugin that takes them. */
  logging: string
  propagated: string
}

export const socketFolderInside = '/run/docker/plugins'
export const loggingFolderInside = '/run/docker/logging'

export async function pluginSpec(
  specs: ContainerSpecs,
  plugin: PluginRecord,
  rootfs: Rootfs,
  folders: PluginFolders,
): Promise<OciSpec> {
  const asked = await Promise.all(
    plugin.settings.Mounts.filter(({ Source, Type }) => Type === 'tmpfs' || Source).map(mountPoint),
  )
  const mounts = [...asked, ...ownMounts(plugin, folders)]
  // A network of its own reaches no name server.
  const files = plugin.config.Network.Type === 'host' ? await hostFiles() : {}
  return specs.build({
    record: asContainer(plugin, mounts),
    rootfs,
    files,
    joined: {},
  })
}

/** A host may do without either. */
async function hostFiles(): Promise<{ hosts?: string; resolvConf?: string }> {
  const [hosts, resolvConf] = ['/etc/hosts', '/etc/resolv.conf']
  return { ...((await isThere(hosts)) && { hosts }), ...((await isThere(resolvConf)) && { resolvConf }) }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

function ownMounts({ config }: PluginRecord, { sockets, logging, propagated }: PluginFolders): MountPoint[] {
  const bind = (Source: string, Destination: string, Propagation = 'rprivate'): MountPoint => ({
    ...{ Type: 'bind', Source, Destination, Propagation, Mode: '', RW: true },
  })
  const takesLogs = interfaceTypes(config).some(({ capability }) => capability === 'logdriver')
  return [
    bind(sockets, socketFolderInside),
    ...(takesLogs ? [bind(logging, loggingFolderInside)] : []),
    ...(config.PropagatedMount === '' ? [] : [bind(propagated, config.PropagatedMount, 'rshared')]),
  ]
}

async function mountPoint({ Source, Destination, Type, Options }: PluginMount): Promise<MountPoint> {
  const RW = !Options.includes('ro')
  const shared = { Destination, Mode: Options.join(','), RW }
  if (Type === 'tmpfs') {
    return { ...shared, Type, Source: '', Propagation: '', options: { tmpfs: readTmpfs(Options.join(',')).options } }
  }
  const source = Source ?? ''
  await makeSource(source)
  const Propagation = Options.find((option) => /^r?(shared|slave|private)$/.test(option)) ?? 'rprivate'
  const options = Options.includes('bind') ? { nonRecursive: true } : {}
  return { ...shared, Type: 'bind', Source: source, Propagation, options }
}

/** A folder that is missing is made, as for `docker run -v`. */
async function makeSource(source: string): Promise<void> {
  if (await isThere(source)) return
  await mkdir(source, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw systemError(`the mount source ${source} is not there, and cannot be made: ${error.code ?? error.message}`)
  })
}

/** To the runtime it is a container like others. */
function asContainer({ id, name, config, settings }: PluginRecord, mounts: MountPoint[]): ContainerRecord {
  const [path = '', ...args] = [...config.Entrypoint, ...settings.Args]
  const { Linux, User } = config
  const devices = settings.Devices.flatMap(({ Path }) => (Path ? [Path] : []))
  return {
    ...{ id, name, path, args, mounts, imageId: '', imageName: '', os: 'linux', created: never },
    ...{ endpoints: {}, ports: {}, restartCount: 0 },
    config: ContainerConfig.parse({
      Env: settings.Env,
      WorkingDir: config.WorkDir || '/',
      User: `${User.UID}:${User.GID}`,
    }),
    hostConfig: HostConfig.parse({
      CapAdd: Linux.Capabilities,
      Devices: devices.map((each) => ({ PathOnHost: each, PathInContainer: each, CgroupPermissions: 'rwm' })),
      DeviceCgroupRules: Linux.AllowAllDevices ? ['a *:* rwm'] : [],
      NetworkMode: config.Network.Type === 'host' ? 'host' : 'none',
      IpcMode: config.IpcHost ? 'host' : 'private',
      PidMode: config.PidHost ? 'host' : '',
    }),
    state: {
      ...{ status: 'created', pid: 0, exitCode: 0, error: '', oomKilled: false, stoppedByCaller: false },
      ...{ startedAt: never, finishedAt: never },
    },
  }
}
