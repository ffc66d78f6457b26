// What can be wrong with the address settings of a new network: all of it at once. ENG-431
import { contains, formatSubnet, holds, parseAddress, parseSubnet, type Subnet } from '../../network/address.ts'
import type { IpamConfig } from '../../network/network-record.ts'

export function ipamProblems(configs: readonly IpamConfig[], enableIPv6: boolean): string[] {
  const problems = configs.flatMap((config) => configProblems(config, enableIPv6))
  const families = configs.flatMap(({ Subnet = '' }) => parseSubnet(Subnet)?.family ?? [])
  for (const family of [4, 6]) {
    const count = families.filter((one) => one === family).length
    if (count > 1) problems.push(`the bridge driver supports one IPv${family} subnet for a network, not ${count}`)
  }
  return problems
}

function configProblems(config: IpamConfig, enableIPv6: boolean): string[] {
  const { Subnet: text = '', IPRange: range = '', Gateway: gateway = '', AuxiliaryAddresses: others = {} } = config
  if (text === '') {
    const isEmpty = range === '' && gateway === '' && Object.keys(others).length === 0
    return isEmpty ? [] : ['invalid subnet: a gateway, ip-range or auxiliary address needs the subnet it belongs to']
  }
  const subnet = parseSubnet(text)
  if (subnet === undefined) return [`invalid subnet ${text}: invalid CIDR block notation`]
  // Kept and shown, and of no effect.
  if (subnet.family === 6 && !enableIPv6) return []
  const problems = subnet.isExact ? [] : [`invalid subnet ${text}: it should be ${formatSubnet(subnet)}`]
  if (subnet.prefix > (subnet.family === 4 ? 30 : 126)) problems.push(`invalid subnet ${text}: it has no room`)
  if (range !== '') problems.push(...rangeProblems(range, subnet))
  if (gateway !== '') problems.push(...addressProblems('gateway', gateway, subnet))
  for (const [name, address] of Object.entries(others)) {
    problems.push(...addressProblems(`auxiliary address ${name}:`, address, subnet))
  }
  return problems
}

function rangeProblems(text: string, subnet: Subnet): string[] {
  const range = parseSubnet(text)
  if (range === undefined) return [`invalid ip-range ${text}: invalid CIDR block notation`]
  const parent = formatSubnet(subnet)
  if (range.family !== subnet.family) return [`invalid ip-range ${text}: parent subnet is an IPv${subnet.family} block`]
  const problems = range.isExact ? [] : [`invalid ip-range ${text}: it should be ${formatSubnet(range)}`]
  if (range.prefix < subnet.prefix) {
    problems.push(`invalid ip-range ${text}: CIDR block is bigger than its parent subnet ${parent}`)
  } else if (!holds(subnet, range)) {
    problems.push(`invalid ip-range ${text}: parent subnet ${parent} doesn't contain ip-range`)
  }
  return problems
}

function addressProblems(what: string, text: string, subnet: Subnet): string[] {
  const address = parseAddress(text)
  if (address === undefined) return [`invalid ${what} ${text}: invalid address`]
  if (address.family !== subnet.family)
    return [`invalid ${what} ${text}: parent subnet is an IPv${subnet.family} block`]
  if (contains(subnet, address)) return []
  return [`invalid ${what} ${text}: parent subnet ${formatSubnet(subnet)} doesn't contain this address`]
}
