// Links between containers of the default bridge: names in /etc/hosts, and variables with addresses and ports.
import type { ContainerRecord } from './record.ts'
import type { World } from './world.ts'

export interface Link {
  /** Name or id of the other container. */
  name: string
  alias: string
}

/** `name:alias`, or as it is kept `/name:/this/alias`. */
export function parseLink(text: string): Link {
  const [name = '', alias = name] = text.split(':')
  return { name: name.replace(/^\//, ''), alias: alias.replace(/^.*\//, '') }
}

export interface LinkedContainer extends Link {
  record: ContainerRecord
  address: string
}

/** Those that run: the others have no address. */
export function linkedContainers({ registry }: World, { hostConfig }: ContainerRecord): LinkedContainer[] {
  return (hostConfig.Links ?? []).map(parseLink).flatMap((link) => {
    const record = registry.find(link.name)?.record
    const address = Object.values(record?.endpoints ?? {}).find(({ IPAddress }) => IPAddress)?.IPAddress
    return record === undefined || !address ? [] : [{ ...link, record, address }]
  })
}

/** `DB_PORT_5432_TCP_ADDR=172.17.0.2` and its kind. */
export function linkVariables(own: ContainerRecord, links: readonly LinkedContainer[]): string[] {
  return links.flatMap(({ alias, record, address }) => {
    const prefix = alias.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')
    const ports = Object.keys(record.config.ExposedPorts ?? {}).map((port) => {
      const [number = '', protocol = 'tcp'] = port.split('/')
      return { number, protocol, url: `${protocol}://${address}:${number}` }
    })
    const [first] = ports.toSorted((a, b) => Number(a.number) - Number(b.number))
    return [
      ...(first === undefined ? [] : [`${prefix}_PORT=${first.url}`]),
      ...ports.flatMap(({ number, protocol, url }) => {
        const name = `${prefix}_PORT_${number}_${protocol.toUpperCase()}`
        return [`${name}=${url}`, `${name}_ADDR=${address}`, `${name}_PORT=${number}`, `${name}_PROTO=${protocol}`]
      }),
      `${prefix}_NAME=/${own.name}/${alias}`,
    ]
  })
}
