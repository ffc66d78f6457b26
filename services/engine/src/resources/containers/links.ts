// Links between containers of the default bridge: names in /etc/hosts, and variables with addresses and ports.
import { invalidParameter, noSuchContainer, systemError } from '../../errors.ts'
import { isUp } from './container.ts'
import { networkMode } from './host-config.ts'
import { type Link, parseLink } from './link.ts'
import type { ContainerRecord } from './record.ts'
import type { HostConfig } from './schema.ts'
import type { World } from './world.ts'

/** On the default bridge. On networks of their own links are names, which are looked up when somebody asks for them. */
export function checkLinked(registry: Finding, { NetworkMode, Links }: HostConfig): void {
  if (networkMode(NetworkMode) !== 'bridge') return
  for (const { name } of (Links ?? []).map(parseLink)) {
    const other = registry.find(name)
    // Clients take a 404 for a missing image, and pull it.
    if (other === undefined) {
      throw invalidParameter(`could not get container for ${name}: ${noSuchContainer(name).message}`)
    }
    if (networkMode(other.record.hostConfig.NetworkMode) === 'host') {
      throw invalidParameter(
        "conflicting options: host type networking can't be used with links. This would result in undefined behavior",
      )
    }
  }
}

interface Finding {
  find(idOrName: string): { record: ContainerRecord } | undefined
}

/** `/other:/this/alias`, as inspect tells them. */
export const shownLinks = ({ name: own, hostConfig: { Links } }: ContainerRecord): string[] | null =>
  Links?.length ? Links.map(parseLink).map(({ name, alias }) => `/${name}:/${own}/${alias}`) : null

/** `/parent/alias` of every container that links to one, by its id. */
export function linkNames({ registry }: World): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const { record } of registry.all) {
    for (const { name, alias } of (record.hostConfig.Links ?? []).map(parseLink)) {
      const id = registry.find(name)?.id
      if (id !== undefined) names.set(id, [...(names.get(id) ?? []), `/${record.name}/${alias}`])
    }
  }
  return names
}

export interface LinkedContainer extends Link {
  record: ContainerRecord
  address: string
}

/** On the default bridge, whoever is started by a caller is started after those it links to. */
export function refuseRestingLinks({ registry }: World, { name: own, hostConfig }: ContainerRecord): void {
  if (networkMode(hostConfig.NetworkMode) !== 'bridge') return
  for (const { name, alias } of (hostConfig.Links ?? []).map(parseLink)) {
    const other = registry.find(name)
    if (other === undefined || isUp(other.state)) continue
    throw systemError(`Cannot link to a non running container: /${other.record.name} AS /${own}/${alias}`)
  }
}

/** Those that run: the others have no address. */
export function linkedContainers({ registry }: World, { hostConfig }: ContainerRecord): LinkedContainer[] {
  return (hostConfig.Links ?? []).map(parseLink).flatMap((link) => {
    const record = registry.find(link.name)?.record
    const address = Object.values(record?.endpoints ?? {}).find(({ IPAddress }) => IPAddress)?.IPAddress
    return record === undefined || !address ? [] : [{ ...link, record, address }]
  })
}

/** `DB_PORT_5432_TCP_ADDR=172.17.0.2` and its kind. What the container has of its own goes before them. */
export function linkVariables(own: ContainerRecord, links: readonly LinkedContainer[]): string[] {
  const names = new Set((own.config.Env ?? []).map(nameOf))
  return links.flatMap((link) => variablesOf(own, link)).filter((variable) => !names.has(nameOf(variable)))
}

const nameOf = (variable: string): string => variable.split('=', 1)[0] ?? ''

interface Port {
  number: number
  protocol: string
}

function variablesOf(own: ContainerRecord, { alias, record, address }: LinkedContainer): string[] {
  const prefix = alias.toUpperCase().replaceAll('-', '_')
  const url = ({ number, protocol }: Port) => `${protocol}://${address}:${number}`
  const nameOfPort = ({ number, protocol }: Port) => `${prefix}_PORT_${number}_${protocol.toUpperCase()}`
  const ports = portsOf(record)
  const [first] = ports
  return [
    ...(first === undefined ? [] : [`${prefix}_PORT=${url(first)}`]),
    ...ranges(ports).flatMap(([from, to]) => {
      const name = nameOfPort(from)
      const start = [`${name}_START=${url(from)}`, `${name}_PORT_START=${from.number}`]
      return [...start, `${name}_END=${url(to)}`, `${name}_PORT_END=${to.number}`]
    }),
    ...ports.flatMap((port) => {
      const name = nameOfPort(port)
      const { number, protocol } = port
      return [`${name}=${url(port)}`, `${name}_ADDR=${address}`, `${name}_PORT=${number}`, `${name}_PROTO=${protocol}`]
    }),
    `${prefix}_NAME=/${own.name}/${alias}`,
    ...(record.config.Env ?? [])
      .filter((variable) => variable.includes('=') && !ofEveryImage.has(nameOf(variable)))
      .map((variable) => `${prefix}_ENV_${variable}`),
  ]
}

const ofEveryImage = new Set(['HOME', 'PATH'])

/** By number; TCP goes before others of the same number. */
function portsOf({ config }: ContainerRecord): Port[] {
  const ports = Object.keys(config.ExposedPorts ?? {}).map((port) => {
    const [number = '', protocol = 'tcp'] = port.split('/')
    return { number: Number(number), protocol }
  })
  const rank = ({ protocol }: Port): number => (protocol === 'tcp' ? 0 : 1)
  return ports.sort((one, other) => one.number - other.number || rank(one) - rank(other))
}

/** Three or more in a row. */
function ranges(ports: readonly Port[]): [from: Port, to: Port][] {
  const rows: Port[][] = []
  for (const port of ports) {
    const row = rows.at(-1)
    if (row?.at(-1)?.number === port.number - 1) row.push(port)
    else rows.push([port])
  }
  return rows.flatMap((row): [Port, Port][] => {
    const [from, to] = [row[0], row.at(-1)]
    return from === undefined || to === undefined || row.length < 3 ? [] : [[from, to]]
  })
}
