// Which namespaces a container has of its own, shares with the host, or joins.
import { conflict } from '../../errors.ts'
import type { HostConfig } from '../../resources/containers/schema.ts'

type Modes = Pick<HostConfig, 'NetworkMode' | 'IpcMode' | 'PidMode' | 'UTSMode' | 'CgroupnsMode'>

/** First processes of the containers whose namespaces are joined. */
export interface JoinedPids {
  network?: number
  ipc?: number
  pid?: number
}

interface Namespace {
  type: string
  path?: string
}

/** The name or id after `container:`; undefined when the mode is another. */
export const joinedContainer = (mode: string | undefined): string | undefined =>
  mode?.startsWith('container:') ? mode.slice('container:'.length) : undefined

export const sharesNetwork = ({ NetworkMode }: Modes): boolean =>
  NetworkMode === 'host' || joinedContainer(NetworkMode) !== undefined

export const ownsIpc = ({ IpcMode }: Modes): boolean => IpcMode !== 'host' && joinedContainer(IpcMode) === undefined
export const ownsPids = ({ PidMode }: Modes): boolean =>
  PidMode === undefined || PidMode === '' || PidMode === 'private'
export const ownsUts = ({ UTSMode }: Modes): boolean => UTSMode !== 'host'

/** With the older control groups containers see the host's tree unless they ask for their own. */
const cgroupModeOf = ({ CgroupnsMode }: Modes, cgroupVersion: 1 | 2): 'host' | 'private' => {
  if (CgroupnsMode === 'host' || CgroupnsMode === 'private') return CgroupnsMode
  return cgroupVersion === 2 ? 'private' : 'host'
}

export function chooseNamespaces(modes: Modes, joined: JoinedPids, cgroupVersion: 1 | 2): Namespace[] {
  return [
    { type: 'mount' },
    ...namespaceOf('network', 'net', modes.NetworkMode, joined.network),
    ...namespaceOf('pid', 'pid', modes.PidMode, joined.pid),
    ...namespaceOf('ipc', 'ipc', modes.IpcMode, joined.ipc),
    ...(ownsUts(modes) ? [{ type: 'uts' }] : []),
    ...(cgroupModeOf(modes, cgroupVersion) === 'private' ? [{ type: 'cgroup' }] : []),
  ]
}

function namespaceOf(type: string, file: string, mode: string | undefined, pid: number | undefined): Namespace[] {
  if (mode === 'host') return []
  const other = joinedContainer(mode)
  if (other === undefined) return [{ type }]
  if (pid === undefined || pid <= 0) {
    throw conflict(`cannot join the ${type} namespace of a non running container: ${other}`)
  }
  return [{ type, path: `/proc/${pid}/ns/${file}` }]
}
