// The config.json of a plugin: what it is, and what it asks of the machine. Names are read without case, as Go does.
import { posix } from 'node:path'
import { invalidParameter, invalidParameters } from '../errors.ts'
import { inDeclaredForm } from '../json/declared-form.ts'
import { readTmpfs } from '../mounts/tmpfs-options.ts'
import { PluginConfig, type PluginDevice, type PluginMount } from '../resources/plugins/schema.ts'
import { checkCapabilities } from '../runtime/oci/capabilities.ts'

export const maxConfigBytes = 1024 * 1024
/** Throws for what is no configuration, and for all that is wrong with one. */
export function readPluginConfig(bytes: Uint8Array): PluginConfig {
  if (bytes.length > maxConfigBytes) throw invalidParameter(`config.json has more than ${maxConfigBytes} bytes`)
  const read = PluginConfig.safeParse(inDeclaredForm(PluginConfig, parse(bytes)))
  if (!read.success) {
    throw invalidParameters(read.error.issues.map(({ path, message }) => `config.json: ${path.join('.')}: ${message}`))
  }
  const problems = configProblems(read.data)
  if (problems.length > 0) throw invalidParameters(problems.map((problem) => `config.json: ${problem}`))
  return read.data
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    throw invalidParameter('config.json: it is no JSON')
  }
}

export interface InterfaceType {
  prefix: string
  /** `volumedriver` */
  capability: string
  version: string
}

const typeForm = /^([a-z0-9]+(?:[.-][a-z0-9]+)*)\.([a-z0-9]+)\/([0-9]+(?:\.[0-9]+)*)$/

export function interfaceTypes({ Interface }: PluginConfig): InterfaceType[] {
  return Interface.Types.flatMap((type) => {
    const [, prefix, capability, version] = typeForm.exec(type) ?? []
    return prefix === undefined || capability === undefined || version === undefined
      ? []
      : [{ prefix, capability, version }]
  })
}

const socketForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const networks = new Set(['', 'none', 'null', 'bridge', 'host'])
const schemes = new Set(['', 'moby.plugins.http/v1'])
const variableForm = /^[A-Za-z_][A-Za-z0-9_]*$/

function configProblems(config: PluginConfig): string[] {
  const { Interface, Entrypoint, WorkDir, Network, Linux, Env } = config
  return [
    ...Interface.Types.filter((type) => !typeForm.test(type)).map((type) => `interface type "${type}" is none`),
    ...(socketForm.test(Interface.Socket) ? [] : [`interface.socket "${Interface.Socket}" is no plain file name`]),
    ...(schemes.has(Interface.ProtocolScheme) ? [] : [`protocol scheme "${Interface.ProtocolScheme}" is not known`]),
    ...(Entrypoint.length > 0 ? [] : ['it has no entrypoint']),
    ...(WorkDir === '' || isPlainPath(WorkDir) ? [] : [`workdir "${WorkDir}" must be an absolute path`]),
    ...(networks.has(Network.Type) ? [] : [`network type "${Network.Type}" is neither host, bridge nor none`]),
    ...checkCapabilities({ CapAdd: Linux.Capabilities }),
    ...Env.filter(({ Name }) => !variableForm.test(Name)).map(({ Name }) => `environment variable "${Name}" is none`),
    ...propagatedProblems(config),
    ...config.Mounts.flatMap(mountProblems),
    ...Linux.Devices.flatMap(deviceProblems),
  ]
}

/** Absolute, and without anything that leads up or stays where it is. */
const isPlainPath = (path: string): boolean =>
  path.startsWith('/') && !path.includes('\0') && withoutSlash(posix.normalize(path)) === withoutSlash(path)

const withoutSlash = (path: string): string => (path.length > 1 ? path.replace(/\/+$/, '') : path)

/** Where the engine mounts by itself. */
const ownPlaces = ['/proc', '/sys', '/dev', '/run/docker']
const isOwnPlace = (path: string): boolean =>
  withoutSlash(path) === '/' || ownPlaces.some((place) => path === place || path.startsWith(`${place}/`))

const propagatedProblems = ({ PropagatedMount: path }: PluginConfig): string[] =>
  path === '' || (isPlainPath(path) && !isOwnPlace(path))
    ? []
    : [`propagatedMount "${path}" must be an absolute path of the plugin's own`]

const bindOptions = /^(r?bind|ro|rw|r?(shared|slave|private))$/

export function mountProblems({ Name, Source, Destination, Type, Options }: PluginMount): string[] {
  const kind = Type || 'bind'
  const about = `mount ${Name || Destination}`
  const isDevice = Destination.startsWith('/dev/') && Destination.length > '/dev/'.length
  return [
    ...(isPlainPath(Destination) && (isDevice || !isOwnPlace(Destination))
      ? []
      : [`${about}: destination "${Destination}" must be an absolute path of the plugin's own`]),
    ...(kind === 'bind' || kind === 'tmpfs' ? [] : [`${about}: type "${Type}" is neither bind nor tmpfs`]),
    ...(kind === 'bind' && Source ? sourceProblems(about, Source) : []),
    ...(kind === 'bind' ? Options.filter((option) => !bindOptions.test(option)) : []).map(
      (option) => `${about}: option "${option}" is not known`,
    ),
    ...(kind === 'tmpfs' ? readTmpfs(Options.join(',')).problems.map((problem) => `${about}: ${problem}`) : []),
  ]
}

const sourceProblems = (about: string, source: string): string[] =>
  isPlainPath(source) ? [] : [`${about}: source "${source}" must be an absolute path`]

export const deviceProblems = ({ Name, Path }: PluginDevice): string[] =>
  !Path || (isPlainPath(Path) && Path.startsWith('/dev/')) ? [] : [`device ${Name}: "${Path}" is no path below /dev`]
