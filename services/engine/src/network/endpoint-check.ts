// What can be wrong with the settings of an endpoint, before anything is done with them: all of it at once.
import type { EndpointSettings } from '../resources/containers/schema.ts'
import { contains, parseAddress, parseSubnet } from './address.ts'
import { readEndpointSysctls } from './endpoint-sysctls.ts'
import { readHardwareAddress } from './hardware-address.ts'
import { defaultBridge, hasAddresses, type NetworkRecord } from './network-record.ts'

const maxNames = 256
const namePattern = /^[^\s/\0]{1,253}$/

/**
 * Whether an address is taken shows only when the container starts: its holder may be gone by then. Those of tasks are
 * chosen by the swarm.
 */
export function endpointProblems(network: NetworkRecord, endpoint: EndpointSettings, isTask = false): string[] {
  if (network.configOnly) {
    return [`cannot attach a container to ${network.name}: configuration networks are not networks themselves`]
  }
  const problems = [
    ...aliasProblems(network, endpoint),
    ...(isTask ? [] : addressProblems(network, endpoint)),
    ...readEndpointSysctls(endpoint).problems,
  ]
  const { MacAddress: hardware = '' } = endpoint
  if (hardware !== '' && readHardwareAddress(hardware) === undefined) {
    problems.push(`invalid MAC address: ${hardware}`)
  }
  if (hardware !== '' && network.driver === 'ipvlan') {
    problems.push('ipvlan interfaces do not support custom mac address assignment')
  }
  return problems
}

function aliasProblems(
  { name, driver }: NetworkRecord,
  { Aliases: aliases = [], Links: links = [] }: EndpointSettings,
) {
  const problems: string[] = []
  if (aliases.length > 0 && (name === defaultBridge || !hasAddresses(driver))) {
    problems.push('network-scoped aliases are only supported for user-defined networks')
  }
  if (aliases.length > maxNames) problems.push(`too many aliases: at most ${maxNames}`)
  for (const alias of aliases) if (!namePattern.test(alias)) problems.push(`invalid alias: '${alias}'`)
  for (const link of links) {
    if (!/^[^:]+(:[^:]+)?$/.test(link)) problems.push(`invalid link: '${link}' (expected container or container:alias)`)
  }
  return problems
}

function addressProblems(network: NetworkRecord, { IPAMConfig: asked }: EndpointSettings): string[] {
  const wanted = [
    { family: 4, text: asked?.IPv4Address ?? '' },
    { family: 6, text: asked?.IPv6Address ?? '' },
  ].filter(({ text }) => text !== '')
  const linkLocal = asked?.LinkLocalIPs ?? []
  const bad = [
    ...wanted
      .filter(({ family, text }) => parseAddress(text)?.family !== family)
      .map(({ family, text }) => `invalid IPv${family} address: ${text}`),
    ...linkLocal
      .filter((text) => parseAddress(text) === undefined)
      .map((text) => `invalid link-local IP address: ${text}`),
  ]
  if (wanted.length === 0) return bad
  if (network.name === defaultBridge || !hasAddresses(network.driver)) {
    return [...bad, 'user specified IP address is supported on user defined networks only']
  }
  const good = wanted.filter(({ family, text }) => parseAddress(text)?.family === family)
  return [...bad, ...good.flatMap(({ family, text }) => rangeProblem(network, family, text))]
}

function rangeProblem({ chosenSubnets }: NetworkRecord, family: number, text: string): string[] {
  const subnets = chosenSubnets.flatMap((subnet) => parseSubnet(subnet) ?? []).filter((one) => one.family === family)
  const address = parseAddress(text)
  if (subnets.length === 0) {
    return ['user specified IP address is supported only when connecting to networks with user configured subnets']
  }
  if (address !== undefined && subnets.some((subnet) => contains(subnet, address))) return []
  return [`no configured subnet contains IP address ${text}`]
}
