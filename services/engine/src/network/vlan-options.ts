// Settings of networks of the drivers macvlan and ipvlan: containers with addresses of their own on a link of the host.
import type { NetworkDriverName, NetworkRecord } from './network-record.ts'

type VlanDriver = 'macvlan' | 'ipvlan'

const modes: Record<VlanDriver, readonly string[]> = {
  macvlan: ['bridge', 'private', 'vepa', 'passthru'],
  ipvlan: ['l2', 'l3', 'l3s'],
}
const flags = ['bridge', 'private', 'vepa']
const linkName = /^(?!\.+$)[^\s/:"%]{1,15}$/

export const isVlan = (driver: NetworkDriverName): driver is VlanDriver => driver === 'macvlan' || driver === 'ipvlan'

type Described = Pick<NetworkRecord, 'driver' | 'options'>

export const modeOf = ({ driver, options }: Described): string =>
  isVlan(driver) ? options[`${driver}_mode`] || (modes[driver][0] ?? '') : ''

/** Undefined: one is made for it, and its containers reach only one another. */
export const askedParent = ({ options }: Pick<NetworkRecord, 'options'>): string | undefined =>
  options.parent || undefined

const madePrefix = 'dm-'
const shortIdLength = 12
export const parentOf = (record: Pick<NetworkRecord, 'id' | 'options'>): string =>
  askedParent(record) ?? `${madePrefix}${record.id.slice(0, shortIdLength)}`

export const usesGateway = (network: Described): boolean => !/^l3/.test(modeOf(network))

/** What `ip link add … type` is told. */
export const linkType = (network: Described): string =>
  network.driver === 'ipvlan'
    ? `ipvlan mode ${modeOf(network)} ${network.options.ipvlan_flag || flags[0]}`
    : `macvlan mode ${modeOf(network)}`

export function vlanProblems(driver: VlanDriver, options: Readonly<Record<string, string>>): string[] {
  const mode = modeOf({ driver, options })
  const flag = options.ipvlan_flag || 'bridge'
  const parent = options.parent || 'any'
  return [
    ...(modes[driver].includes(mode)
      ? []
      : [
          `requested ${driver} mode '${mode}' is not valid, '${modes[driver][0]}' mode is the ${driver} driver default`,
        ]),
    ...(driver === 'ipvlan' && !flags.includes(flag)
      ? [`requested ipvlan flag '${flag}' is not valid, 'bridge' is the ipvlan driver default`]
      : []),
    ...(parent === 'lo' ? [`loopback interface is not a valid ${driver} parent link`] : []),
    ...(linkName.test(parent) ? [] : [`invalid parent interface: '${parent}'`]),
  ]
}

/** Two networks cannot always be on one link. */
export function parentProblem(record: NetworkRecord, others: readonly NetworkRecord[]): string | undefined {
  const parent = parentOf(record)
  const other = others.find((one) => isVlan(one.driver) && parentOf(one) === parent)
  if (other === undefined) return undefined
  if (record.driver === 'ipvlan' || other.driver === 'ipvlan') {
    return `network ${other.name} is already using parent interface ${parent}`
  }
  if (modeOf(record) === 'passthru') {
    return `cannot use mode passthru, macvlan network ${other.name} is already using parent interface ${parent}`
  }
  return modeOf(other) === 'passthru'
    ? `macvlan network ${other.name} is already using parent interface ${parent} in mode passthru`
    : undefined
}
