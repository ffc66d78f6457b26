// What names a container may know: those of the networks it is on.
import type { Address } from './address.ts'
import type { View } from './dns/name-server.ts'
import { addressesOf, type LiveEndpoint, type LiveNetwork } from './live-network.ts'

/** `endpoints` are the container's own; `servers` are asked for what nobody here knows. */
export function nameView(endpoints: readonly LiveEndpoint[], servers: readonly string[]): View {
  const named = endpoints.filter(({ network }) => !network.isDefault)
  return {
    find(name) {
      const services = named.flatMap(({ network }) => serviceOn(network, name) ?? [])
      if (services.length > 0) return services
      const found = [...new Set(named.flatMap((endpoint) => onNetwork(endpoint, name)))].flatMap(addressesOf)
      const all = [...found, ...named.flatMap(({ network }) => elsewhere(network, name))]
      return all.length === 0 ? undefined : all
    },
    nameOf: (address: Address) => {
      for (const { network } of named) {
        const endpoint = network.at(address)
        const container = endpoint?.containerName ?? network.nameElsewhereOf(address)
        if (container !== undefined) return `${container}.${network.record.name}`
      }
      return undefined
    },
    servers: () => (endpoints.every(({ network }) => network.record.internal) ? [] : servers),
  }
}

function serviceOn(network: LiveNetwork, name: string): Address | undefined {
  const suffix = `.${network.record.name.toLowerCase()}`
  return (
    network.serviceNamed(name) ??
    (name.endsWith(suffix) ? network.serviceNamed(name.slice(0, -suffix.length)) : undefined)
  )
}

function elsewhere(network: LiveNetwork, name: string): readonly Address[] {
  const suffix = `.${network.record.name.toLowerCase()}`
  const found = network.namedElsewhere(name)
  return found.length === 0 && name.endsWith(suffix) ? network.namedElsewhere(name.slice(0, -suffix.length)) : found
}

function onNetwork({ network, settings }: LiveEndpoint, name: string): readonly LiveEndpoint[] {
  const linked = (settings.Links ?? []).flatMap((link) => {
    const [target = '', alias = target] = link.split(':')
    return alias.toLowerCase() === name ? network.named(target.toLowerCase()) : []
  })
  if (linked.length > 0) return linked
  const found = network.named(name)
  const suffix = `.${network.record.name.toLowerCase()}`
  return found.length === 0 && name.endsWith(suffix) ? network.named(name.slice(0, -suffix.length)) : found
}
