// Published ports as requests write them: `80/tcp` → where on the host.
import type { NetworkedContainer } from './networking.ts'

export interface WantedPort {
  /** `80/tcp` */
  name: string
  port: number
  protocol: string
  /** As asked for; '' is all addresses. */
  hostAddress: string
  /** One number, a range to choose from, or `[0, 0]` for any that is free. */
  hostPorts: readonly [first: number, last: number]
}

const maxPort = 65_535
const protocols = new Set(['tcp', 'udp', 'sctp'])

/** `80`, `80/udp`; undefined when it is none. */
export function readPort(text: string): { port: number; protocol: string; name: string } | undefined {
  const found = /^(\d{1,5})(?:\/([a-z]+))?$/i.exec(text)
  const port = Number(found?.[1])
  const protocol = (found?.[2] ?? 'tcp').toLowerCase()
  if (found === null || port < 1 || port > maxPort || !protocols.has(protocol)) return undefined
  return { port, protocol, name: `${port}/${protocol}` }
}

/** '' and 0 leave the choice to the engine. */
export function readHostPorts(text: string): readonly [number, number] | undefined {
  const found = /^(\d{0,5})(?:-(\d{1,5}))?$/.exec(text)
  if (found === null) return undefined
  const first = Number(found[1])
  const last = found[2] === undefined ? first : Number(found[2])
  return first <= last && last <= maxPort ? [first, last] : undefined
}

export function wantedPorts({ portBindings, exposedPorts, publishAllPorts }: PortRequest): WantedPort[] {
  const wanted: WantedPort[] = []
  for (const [text, bindings] of Object.entries(portBindings)) {
    const read = readPort(text)
    if (read === undefined) continue
    for (const { HostIp = '', HostPort = '' } of bindings ?? []) {
      wanted.push({ ...read, hostAddress: HostIp, hostPorts: readHostPorts(HostPort) ?? [0, 0] })
    }
  }
  if (!publishAllPorts) return wanted
  const bound = new Set(wanted.map(({ name }) => name))
  const rest = exposedPorts.flatMap((text) => readPort(text) ?? []).filter(({ name }) => !bound.has(name))
  return [...wanted, ...rest.map((port) => ({ ...port, hostAddress: '', hostPorts: [0, 0] as const }))]
}

export type PortRequest = Pick<NetworkedContainer, 'portBindings' | 'exposedPorts' | 'publishAllPorts'>

export type PortTable = Record<string, { HostIp: string; HostPort: string }[] | null>

/** Exposed ports that are not published stand with null. */
export function portTable(
  { exposedPorts }: PortRequest,
  published: readonly { name: string; hostAddress: string; hostPort: number }[],
): PortTable {
  const names = exposedPorts.flatMap((text) => readPort(text)?.name ?? [])
  const table: PortTable = Object.fromEntries(names.map((name) => [name, null]))
  for (const { name, hostAddress, hostPort } of published) {
    const bindings = table[name] ?? []
    bindings.push({ HostIp: hostAddress, HostPort: String(hostPort) })
    table[name] = bindings
  }
  return table
}
