// Everything that can be wrong with a new container without asking another part of the engine.
import { isIP } from 'node:net'
import { logProblems } from '../../log-drivers/drivers.ts'
import { joinedContainer, networkMode } from './host-config.ts'
import { hasRestartPolicy, restartPolicyProblems } from './restart-policy.ts'
import type { ContainerConfig, HostConfig } from './schema.ts'
import { readSignal } from './signals.ts'

/** ENG-115: all of them. */
export function createProblems(
  config: ContainerConfig,
  hostConfig: HostConfig,
  isLogPlugin: (name: string) => boolean,
): string[] {
  return [
    ...configProblems(config),
    ...healthProblems(config.Healthcheck),
    ...restartPolicyProblems(hostConfig.RestartPolicy),
    ...(hostConfig.AutoRemove === true && hasRestartPolicy(hostConfig.RestartPolicy)
      ? ["can't create 'AutoRemove' container with restart policy"]
      : []),
    ...logProblems(hostConfig.LogConfig, isLogPlugin),
    ...portProblems(config, hostConfig),
    ...hostProblems(hostConfig),
    ...(Object.hasOwn(hostConfig.Annotations ?? {}, '')
      ? ['invalid Annotations: the empty string is not permitted as an annotation key']
      : []),
    ...modeProblems(config, hostConfig),
  ]
}

function configProblems({ Env = [], WorkingDir, StopSignal, StopTimeout }: ContainerConfig): string[] {
  return [
    ...Env.filter((variable) => /^(=|$)/.test(variable)).map((variable) => `invalid environment variable: ${variable}`),
    ...(WorkingDir && !WorkingDir.startsWith('/')
      ? [`the working directory '${WorkingDir}' is invalid, it needs to be an absolute path`]
      : []),
    ...(StopSignal && readSignal(StopSignal) === undefined ? [`Invalid signal: ${StopSignal}`] : []),
    ...(StopTimeout !== undefined && StopTimeout < -1 ? [`invalid stop timeout: ${StopTimeout}`] : []),
  ]
}

const maxHostnameLetters = 63
const label = '[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
const hostnamePattern = new RegExp(`^${label}(\\.${label})*$`)

/** ENG-172: RFC 1123. */
export function hostnameProblems({ Hostname: hostname, Domainname: domain }: ContainerConfig): string[] {
  return [
    ...(hostname && (!hostnamePattern.test(hostname) || hostname.length > maxHostnameLetters)
      ? [`invalid hostname format: ${hostname}`]
      : []),
    ...(domain && !hostnamePattern.test(domain) ? [`invalid domainname format: ${domain}`] : []),
  ]
}

const oneMillisecond = 1_000_000
const durations = ['Interval', 'Timeout', 'StartPeriod', 'StartInterval'] as const

function healthProblems(check: ContainerConfig['Healthcheck']): string[] {
  if (check === undefined) return []
  const short = durations.filter(
    (name) => check[name] !== undefined && check[name] !== 0 && check[name] < oneMillisecond,
  )
  const kind = check.Test?.[0]
  return [
    ...short.map((name) => `${name} in Healthcheck cannot be less than 1ms`),
    ...((check.Retries ?? 0) < 0 ? ['Retries in Healthcheck cannot be negative'] : []),
    ...(kind !== undefined && !['NONE', 'CMD', 'CMD-SHELL'].includes(kind)
      ? [`unknown type of Healthcheck test: '${kind}'; use one of 'NONE', 'CMD', or 'CMD-SHELL'`]
      : []),
  ]
}

const portPattern = /^(\d{1,5})(?:-(\d{1,5}))?(?:\/(tcp|udp|sctp))?$/i

export function readPorts(text: string): { first: number; last: number; protocol: string } | undefined {
  const found = portPattern.exec(text)
  if (found === null) return undefined
  const first = Number(found[1])
  const last = Number(found[2] ?? first)
  if (last > 65_535 || first > last) return undefined
  return { first, last, protocol: (found[3] ?? 'tcp').toLowerCase() }
}

function portProblems({ ExposedPorts = {} }: ContainerConfig, { PortBindings = {} }: HostConfig): string[] {
  const exposed = Object.keys(ExposedPorts).filter((port) => readPorts(port) === undefined)
  const bindings = Object.entries(PortBindings).flatMap(([port, places]) => [
    ...(readPorts(port) === undefined ? [`invalid port specification: "${port}"`] : []),
    ...(places ?? []).flatMap(({ HostIp = '', HostPort = '' }) => [
      ...(HostPort !== '' && readPorts(HostPort) === undefined ? [`invalid port specification: "${HostPort}"`] : []),
      ...(HostIp !== '' && isIP(HostIp) === 0 ? [`invalid IP address: ${HostIp}`] : []),
    ]),
  ])
  return [...exposed.map((port) => `invalid port specification: "${port}"`), ...bindings]
}

function hostProblems({ ExtraHosts = [], Dns = [], Links = [], IpcMode, PidMode, UTSMode }: HostConfig): string[] {
  return [
    ...ExtraHosts.filter((host) => !isExtraHost(host)).map((host) => `bad format for add-host: "${host}"`),
    ...Dns.filter((address) => isIP(address) === 0).map((address) => `invalid IP address: ${address}`),
    ...Links.filter((link) => !/^[^:]+(:[^:]+)?$/.test(link)).map((link) => `bad format for links: ${link}`),
    ...(IpcMode && !/^(none|private|shareable|host|container:.+)$/.test(IpcMode)
      ? [`invalid IPC mode: ${IpcMode}`]
      : []),
    ...(PidMode && !/^(host|container:.+)$/.test(PidMode) ? [`invalid PID mode: ${PidMode}`] : []),
    ...(UTSMode && UTSMode !== 'host' ? [`invalid UTS mode: ${UTSMode}`] : []),
  ]
}

function isExtraHost(text: string): boolean {
  const [name, address] = splitExtraHost(text)
  return name !== '' && (address === 'host-gateway' || isIP(address) > 0)
}

/** `name:address`, or `name=address`, which an IPv6 address is easier to read in. */
export function splitExtraHost(text: string): [name: string, address: string] {
  const mark = /[:=]/.exec(text)?.index ?? text.length
  return [text.slice(0, mark), text.slice(mark + 1).replace(/^\[(.*)\]$/, '$1')]
}

/** Options that say nothing in a namespace which belongs to somebody else. */
function modeProblems(config: ContainerConfig, hostConfig: HostConfig): string[] {
  const mode = networkMode(hostConfig.NetworkMode)
  const isJoined = joinedContainer(mode) !== undefined
  const isShared = isJoined || mode === 'host'
  const has = (values: object | undefined): boolean => values !== undefined && Object.keys(values).length > 0
  const rules: [boolean, string][] = [
    [joinedContainer(mode) === '', 'invalid container format container:<name|id>'],
    [isJoined && Boolean(config.Hostname), 'conflicting options: hostname and the network mode'],
    [hostConfig.UTSMode === 'host' && Boolean(config.Hostname), 'conflicting options: hostname and the UTS mode'],
    [
      isJoined && has(hostConfig.Links),
      "conflicting options: container type network can't be used with links. This would result in undefined behavior",
    ],
    [
      mode === 'host' && has(hostConfig.Links),
      "conflicting options: host type networking can't be used with links. This would result in undefined behavior",
    ],
    [isJoined && has(hostConfig.Dns), 'conflicting options: dns and the network mode'],
    [isJoined && has(hostConfig.ExtraHosts), 'conflicting options: custom host-to-IP mapping and the network mode'],
    [isShared && Boolean(config.MacAddress), 'conflicting options: mac-address and the network mode'],
    [
      isJoined && (has(hostConfig.PortBindings) || hostConfig.PublishAllPorts === true),
      'conflicting options: port publishing and the container type network mode',
    ],
    [isJoined && has(config.ExposedPorts), 'conflicting options: port exposing and the container type network mode'],
  ]
  return rules.filter(([isBroken]) => isBroken).map(([, problem]) => problem)
}
