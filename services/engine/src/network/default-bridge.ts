// Which interface and which subnet the default network has. Several engines may run on one machine: the first takes the
// usual name, others one of their own, and none keeps what meanwhile belongs to another.
import { existsSync, readdirSync } from 'node:fs'
import { overlaps, parseSubnet } from './address.ts'
import type { BridgeSettings } from './bridge-settings.ts'
import { markedLinks, markOf, routedSubnets } from './links.ts'
import { bridgeNameOf, defaultBridge, type NetworkRecord } from './network-record.ts'

export interface BridgePlan {
  name: string
  /** Undefined: any that is free. */
  subnet: string | undefined
}

const usualName = bridgeNameOf({ id: '', name: defaultBridge, options: {} })

/** Undefined where `known` stays as it is. */
export async function planDefaultBridge(
  known: NetworkRecord | undefined,
  instance: string,
  asked: BridgeSettings,
): Promise<BridgePlan | undefined> {
  const ours = `${markOf(instance)}:`
  const foreign = new Set((await markedLinks()).filter(({ mark }) => !mark.startsWith(ours)).map(({ name }) => name))
  const knownName = known && bridgeNameOf(known)
  const isFree = (name: string) => !foreign.has(name)
  const free = [knownName ?? usualName, `atoll-${instance.slice(0, 8)}`].find(isFree)
  const name = asked.name ?? free ?? usualName
  const knownSubnet = known?.ipam.config[0]?.Subnet
  const isTaken = knownSubnet !== undefined && (await isRoutedBy(foreign, knownSubnet))
  const subnet = asked.subnet ?? (isTaken ? undefined : knownSubnet)
  return known !== undefined && name === knownName && subnet === knownSubnet ? undefined : { name, subnet }
}

async function isRoutedBy(links: ReadonlySet<string>, text: string): Promise<boolean> {
  const subnet = parseSubnet(text)
  const others = (await routedSubnets((link) => links.has(link))).flatMap((one) => parseSubnet(one) ?? [])
  return subnet !== undefined && others.some((other) => overlaps(subnet, other))
}

/** Containers hang on it. */
export const isBridgeInUse = (name: string): boolean => {
  const wires = `/sys/class/net/${name}/brif`
  return existsSync(wires) && readdirSync(wires).length > 0
}
