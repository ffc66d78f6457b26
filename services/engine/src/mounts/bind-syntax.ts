// `source:destination:mode`, as HostConfig.Binds and VolumesFrom write it.
import { posix } from 'node:path'
import { propagations } from './propagation.ts'

export interface Bind {
  /** A path of the host, or the name of a volume. */
  source: string
  isVolume: boolean
  destination: string
  mode: BindMode
}

interface BindMode {
  /** As it was written. */
  text: string
  isReadOnly: boolean
  noCopy: boolean
  propagation: string
}

const access = ['rw', 'ro']
const labelling = ['z', 'Z']
/** Said for shared file systems of other machines; here everything is consistent. */
export const consistencies: readonly string[] = ['default', 'consistent', 'cached', 'delegated']

/** The mode, or undefined when there is no such mode: each kind of word may stand in it once. */
function readMode(text: string, isVolume: boolean): BindMode | undefined {
  const words = text === '' ? [] : text.split(',')
  const kinds = [access, labelling, propagations, consistencies, ['nocopy']]
  const isKnown = words.every((word) => kinds.some((kind) => kind.includes(word)))
  const isOnce = kinds.every((kind) => words.filter((word) => kind.includes(word)).length <= 1)
  if (!isKnown || !isOnce || (words.includes('nocopy') && !isVolume)) return undefined
  return {
    text,
    isReadOnly: words.includes('ro'),
    noCopy: words.includes('nocopy'),
    propagation: words.find((word) => propagations.includes(word)) ?? '',
  }
}

/** What is wrong with it, in words, when it cannot be read. */
export function readBind(text: string): Bind | string {
  const [source = '', destination, mode = '', ...rest] = text.split(':')
  const wrong = `invalid volume specification: '${text}'`
  if (destination === undefined || rest.length > 0 || source === '' || destination === '') return wrong
  if (!destination.startsWith('/')) {
    return `${wrong}: invalid mount path: '${destination}' mount path must be absolute`
  }
  const isVolume = !source.startsWith('/')
  if (isVolume && !isVolumeName(source)) return volumeNameProblem(source)
  const place = posix.normalize(destination)
  if (isRoot(place)) return `${wrong}: invalid specification: destination can't be '/'`
  const read = readMode(mode, isVolume)
  if (read === undefined) return `${wrong}: invalid mode: ${mode}`
  if (isVolume && read.propagation !== '') {
    return `${wrong}: invalid mount config for type "volume": field BindOptions must not be specified`
  }
  return { source: isVolume ? source : posix.normalize(source), isVolume, destination: withoutSlash(place), mode: read }
}

/** `container`, `container:ro`. */
export function readVolumesFrom(text: string): { container: string; mode: BindMode } | string {
  const [container = '', mode = '', ...rest] = text.split(':')
  const read = readMode(mode, true)
  if (container === '') return `malformed volumes-from specification: ${text}`
  if (read === undefined || rest.length > 0 || read.noCopy || read.propagation !== '')
    return `invalid mode for volumes-from: ${mode}`
  return { container, mode: read }
}

export const isRoot = (path: string): boolean => posix.normalize(`${path}/`) === '/'
export const withoutSlash = (path: string): string => (path.length > 1 ? path.replace(/\/+$/, '') : path)

const maxNameLength = 255
export const isVolumeName = (name: string): boolean =>
  /^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/.test(name) && name.length <= maxNameLength

export function volumeNameProblem(name: string): string {
  if (name.length === 1) {
    return 'volume name is too short, names should be at least two alphanumeric characters'
  }
  return `"${name.slice(0, maxNameLength)}" includes invalid characters for a local volume name, only "[a-zA-Z0-9][a-zA-Z0-9_.-]" are allowed. If you intended to pass a host directory, use absolute path`
}
