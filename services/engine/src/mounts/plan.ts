// All mounts of a container, read from the five places of a request that can ask for some.
import { posix } from 'node:path'
import type { MountPoint } from '../resources/containers/record.ts'
import type { ContainerConfig, HostConfig, Mount } from '../resources/containers/schema.ts'
import { type Bind, isRoot, readBind, readVolumesFrom, withoutSlash } from './bind-syntax.ts'
import { checkMount } from './check-mount.ts'
import { procProblems } from './inside-proc.ts'
import { settlePropagation } from './propagation.ts'
import { mountTmpfs, readTmpfs } from './tmpfs-options.ts'

export interface VolumeWanted {
  /** Absent: one without a name, made for this container. */
  name?: string
  driver: string
  options: Record<string, string>
  labels: Record<string, string>
}

export interface PlannedMount {
  point: MountPoint
  /** To be made, or found, before the point has a source. */
  volume?: VolumeWanted
  /** A bind mount whose source has to be there already. */
  mustExist: boolean
}

export interface Plan {
  mounts: PlannedMount[]
  problems: string[]
}

/** Mounts of another container, by its name or id; undefined: there is none. */
export type MountsOf = (container: string) => readonly MountPoint[] | undefined

interface Surroundings {
  mountsOf: MountsOf
  ways: ReadonlySet<string>
  /** Where the engine keeps its files. */
  engineFolder: string
}

const clusterWords = 'a volume of the cluster is for services: use "docker service create --mount type=cluster"'

export function planMounts(config: ContainerConfig, hostConfig: HostConfig, around: Surroundings): Plan {
  const problems: string[] = []
  const binds = (hostConfig.Binds ?? []).flatMap((text) => {
    const bind = readBind(text)
    if (typeof bind !== 'string') return [plannedBind(bind, hostConfig, around.ways)]
    problems.push(bind)
    return []
  })
  const mounts = (hostConfig.Mounts ?? []).flatMap((mount) => {
    const wrong = mount.Type === 'cluster' ? [clusterWords] : checkMount(mount)
    problems.push(...wrong)
    return wrong.length === 0 ? [plannedMount(mount, hostConfig)] : []
  })
  const tmpfs = Object.entries(hostConfig.Tmpfs ?? {}).map(([place, text]) => plannedTmpfs(place, text, problems))
  const asked = [...binds, ...mounts, ...tmpfs].map((each) => settled(each, around.engineFolder, problems))
  const taken = new Set<string>()
  for (const { point } of asked) {
    if (taken.has(point.Destination)) problems.push(`Duplicate mount point: ${point.Destination}`)
    taken.add(point.Destination)
  }
  const inherited = inheritedMounts(hostConfig, around.mountsOf, taken, problems)
  for (const { point } of inherited) taken.add(point.Destination)
  const anonymous = anonymousVolumes(config, hostConfig, taken, problems)
  problems.push(...[...asked, ...anonymous].flatMap(({ point }) => procProblems(point)))
  return { mounts: [...inherited, ...asked, ...anonymous], problems }
}

/** A bind mount with the propagation that it gets. */
function settled(planned: PlannedMount, engineFolder: string, problems: string[]): PlannedMount {
  const { point } = planned
  if (point.Type !== 'bind') return planned
  const found = settlePropagation(point.Source, point.Propagation, engineFolder)
  if (typeof found !== 'string') {
    return { ...planned, point: { ...point, ...found, options: { ...point.options, ...found.options } } }
  }
  problems.push(found)
  return planned
}

function plannedBind(
  { source, isVolume, destination, mode }: Bind,
  hostConfig: HostConfig,
  ways: ReadonlySet<string>,
): PlannedMount {
  const isFlat = mode.isReadOnly && ways.has('read-only-at-the-top')
  const options = {
    ...(mode.noCopy ? { noCopy: true } : {}),
    ...(isFlat ? { readOnlyNonRecursive: true } : {}),
  }
  const shared = { Destination: destination, Mode: mode.text, RW: !mode.isReadOnly, options }
  if (!isVolume) {
    const point = { Type: 'bind' as const, Source: source, Propagation: mode.propagation, ...shared }
    return { point: { ...point, options: { ...options, createMountpoint: true } }, mustExist: false }
  }
  const driver = hostConfig.VolumeDriver || 'local'
  return {
    point: {
      ...{ Type: 'volume', Name: source, Source: '', Driver: driver, Propagation: '' },
      ...{ ...shared, Mode: volumeMode(driver, mode.text) },
    },
    volume: { name: source, driver, options: {}, labels: {} },
    mustExist: false,
  }
}

function plannedMount(mount: Mount, hostConfig: HostConfig): PlannedMount {
  const { Source = '', ReadOnly } = mount
  const shared = { Destination: withoutSlash(posix.normalize(mount.Target ?? '')), Mode: '', RW: !ReadOnly }
  if (mount.Type === 'tmpfs') {
    const options = { tmpfs: mountTmpfs(mount).options }
    return { point: { Type: 'tmpfs', Source: '', Propagation: '', ...shared, options }, mustExist: false }
  }
  if (mount.Type === 'volume') return plannedVolume(mount, hostConfig, shared)
  const given: Partial<NonNullable<Mount['BindOptions']>> = mount.BindOptions ?? {}
  const { Propagation = '', CreateMountpoint = false } = given
  const options = {
    ...(given.NonRecursive ? { nonRecursive: true } : {}),
    ...(given.ReadOnlyNonRecursive ? { readOnlyNonRecursive: true } : {}),
    ...(given.ReadOnlyForceRecursive ? { readOnlyForceRecursive: true } : {}),
    ...(CreateMountpoint ? { createMountpoint: true } : {}),
  }
  const point = {
    Type: 'bind' as const,
    Source: posix.normalize(Source),
    Propagation,
    ...shared,
    options,
  }
  return { point, mustExist: !CreateMountpoint }
}

/** dockerd says of volumes of its own, where nothing else was said, that containers share their label. */
const volumeMode = (driver: string, given: string): string => (given === '' && driver === 'local' ? 'z' : given)

type Shared = Pick<MountPoint, 'Destination' | 'Mode' | 'RW'>

function plannedVolume({ Source = '', VolumeOptions }: Mount, hostConfig: HostConfig, shared: Shared): PlannedMount {
  const { NoCopy, Labels = {}, DriverConfig, Subpath } = VolumeOptions ?? {}
  const driver = DriverConfig?.Name || hostConfig.VolumeDriver || 'local'
  const options = {
    ...(NoCopy ? { noCopy: true } : {}),
    ...(Subpath ? { subpath: Subpath } : {}),
    ...(Source === '' ? { anonymous: true } : {}),
  }
  return {
    point: {
      ...{ Type: 'volume', Name: Source, Source: '', Driver: driver, Propagation: '' },
      ...{ ...shared, Mode: volumeMode(driver, shared.Mode), options },
    },
    volume: {
      ...(Source === '' ? {} : { name: Source }),
      driver,
      options: DriverConfig?.Options ?? {},
      labels: Labels,
    },
    mustExist: false,
  }
}

function plannedTmpfs(place: string, text: string, problems: string[]): PlannedMount {
  if (!place.startsWith('/')) problems.push(`invalid mount path: '${place}' mount path must be absolute`)
  else if (isRoot(place)) problems.push("invalid specification: destination can't be '/'")
  const { options, problems: wrong } = readTmpfs(text)
  problems.push(...wrong)
  const Destination = withoutSlash(posix.normalize(place))
  const point = {
    Type: 'tmpfs' as const,
    Source: '',
    Destination,
    Mode: '',
    RW: true,
    Propagation: '',
    options: { tmpfs: options },
  }
  return { point, mustExist: false }
}

function inheritedMounts(
  { VolumesFrom = [] }: HostConfig,
  mountsOf: MountsOf,
  taken: ReadonlySet<string>,
  problems: string[],
): PlannedMount[] {
  const byPlace = new Map<string, PlannedMount>()
  for (const text of VolumesFrom) {
    const from = readVolumesFrom(text)
    const mounts = typeof from === 'string' ? undefined : mountsOf(from.container)
    if (typeof from === 'string') problems.push(from)
    else if (mounts === undefined) problems.push(`No such container: ${from.container}`)
    else {
      for (const mount of mounts.filter(({ Type, Destination }) => Type !== 'tmpfs' && !taken.has(Destination))) {
        const point = { ...mount, RW: mount.RW && !from.mode.isReadOnly, Mode: from.mode.text }
        byPlace.set(mount.Destination, { point, mustExist: false })
      }
    }
  }
  return [...byPlace.values()]
}

function anonymousVolumes(
  { Volumes = {} }: ContainerConfig,
  hostConfig: HostConfig,
  taken: ReadonlySet<string>,
  problems: string[],
): PlannedMount[] {
  const driver = hostConfig.VolumeDriver || 'local'
  return Object.keys(Volumes).flatMap((place) => {
    const destination = withoutSlash(posix.normalize(place))
    if (!place.startsWith('/') || isRoot(place) || place.includes(':')) {
      problems.push(`invalid volume specification: '${place}'`)
      return []
    }
    if (taken.has(destination)) return []
    const shared = { Destination: destination, Mode: '', RW: true, Propagation: '', options: { anonymous: true } }
    return [
      {
        point: { Type: 'volume' as const, Name: '', Source: '', Driver: driver, ...shared },
        volume: { driver, options: {}, labels: {} },
        mustExist: false,
      },
    ]
  })
}
