// What one of HostConfig.Mounts cannot be.
import { posix } from 'node:path'
import type { Mount } from '../resources/containers/schema.ts'
import { consistencies, isRoot, isVolumeName, volumeNameProblem } from './bind-syntax.ts'
import { propagations } from './propagation.ts'
import { mountTmpfs } from './tmpfs-options.ts'

const mountTypes: readonly string[] = ['bind', 'volume', 'tmpfs', 'cluster']

const optionsOf = {
  BindOptions: 'bind',
  VolumeOptions: 'volume',
  TmpfsOptions: 'tmpfs',
  ClusterOptions: 'cluster',
} as const

export function checkMount(mount: Mount): string[] {
  const { Type = '', Target = '', Consistency = '' } = mount
  if (!mountTypes.includes(Type)) return [named(Type, 'mount type unknown')]
  const problems = [
    ...checkTarget(Target),
    ...foreignOptions(mount),
    ...(Consistency === '' || consistencies.includes(Consistency) ? [] : [`invalid consistency: ${Consistency}`]),
    ...checkType(Type, mount),
  ]
  return problems.map((problem) => named(Type, problem))
}

function checkType(type: string, mount: Mount): string[] {
  if (type === 'bind') return checkBindMount(mount)
  if (type === 'volume') return checkVolumeMount(mount)
  // Volumes of a cluster are for its services: `group:` and a name, or a name.
  if (type === 'cluster') return mount.Source ? [] : ['field Source must not be empty']
  return checkTmpfsMount(mount)
}

const named = (type: string, problem: string): string => `invalid mount config for type "${type}": ${problem}`

function checkTarget(target: string): string[] {
  if (target === '') return ['field Target must not be empty']
  if (!target.startsWith('/')) return [`invalid mount path: '${target}' mount path must be absolute`]
  return isRoot(target) ? ["invalid specification: destination can't be '/'"] : []
}

/** ENG-123 to ENG-125: options of another type of mount. Those of older callers are taken out before. */
const foreignOptions = (mount: Mount): string[] =>
  Object.entries(optionsOf)
    .filter(([field, type]) => mount[field as keyof typeof optionsOf] !== undefined && mount.Type !== type)
    .map(([field]) => `field ${field} must not be specified`)

function checkBindMount({ Source = '', ReadOnly, BindOptions }: Mount): string[] {
  const { Propagation = '', ReadOnlyNonRecursive, ReadOnlyForceRecursive, NonRecursive } = BindOptions ?? {}
  const needsReadOnly = ReadOnlyNonRecursive || ReadOnlyForceRecursive
  return [
    ...(Source === '' ? ['field Source must not be empty'] : []),
    ...(Source !== '' && !Source.startsWith('/')
      ? [`invalid mount path: '${Source}' mount path must be absolute`]
      : []),
    ...(Propagation === '' || propagations.includes(Propagation) ? [] : [`invalid propagation mode: ${Propagation}`]),
    ...(needsReadOnly && !ReadOnly ? ['ReadOnlyNonRecursive and ReadOnlyForceRecursive need ReadOnly to be set'] : []),
    ...(ReadOnlyNonRecursive && ReadOnlyForceRecursive
      ? ['ReadOnlyNonRecursive and ReadOnlyForceRecursive contradict each other']
      : []),
    ...(ReadOnlyForceRecursive && NonRecursive ? ['ReadOnlyForceRecursive contradicts NonRecursive'] : []),
    ...(ReadOnlyForceRecursive && !['', 'rprivate'].includes(Propagation)
      ? [`ReadOnlyForceRecursive needs the propagation mode rprivate, not ${Propagation}`]
      : []),
  ]
}

function checkVolumeMount({ Source = '', ReadOnly, VolumeOptions }: Mount): string[] {
  const { Subpath = '' } = VolumeOptions ?? {}
  return [
    ...(Source === '' || isVolumeName(Source) ? [] : [volumeNameProblem(Source)]),
    ...(Source === '' && ReadOnly ? ['must not set ReadOnly mode when using anonymous volumes'] : []),
    ...(Source === '' && Subpath !== '' ? ['must not set Subpath when using anonymous volumes'] : []),
    ...(Subpath === '' || isLocal(Subpath) ? [] : ['subpath must be a relative path within the volume']),
  ]
}

/** Not absolute, and no way up and out. */
const isLocal = (path: string): boolean => !path.startsWith('/') && !/^\.\.(\/|$)/.test(posix.normalize(path))

const checkTmpfsMount = (mount: Mount): string[] => [
  ...(mount.Source ? ['field Source must not be specified'] : []),
  ...mountTmpfs(mount).problems,
]
