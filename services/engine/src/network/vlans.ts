// Networks of the drivers macvlan and ipvlan at work, and the links of the host that they hang on.
import type { Log } from '@atoll/kernel/telemetry/log'
import { invalidParameter, noSuchNetwork, systemError } from '../errors.ts'
import { isLinkThere, markedLinks, runIp, runIpInside } from './links.ts'
import { type LiveEndpoint, LiveNetwork } from './live-network.ts'
import type { NetworkRecord } from './network-record.ts'
import { type ProgramFailed, runProgram } from './program.ts'
import { askedParent, linkType, parentOf } from './vlan-options.ts'

interface VlansSettings {
  log: Log
  markOf(name: string): string
  removeLinks(names: readonly string[]): Promise<void>
}

const maxVlan = 4_094

export class Vlans {
  readonly #settings: VlansSettings
  readonly #live = new Map<string, LiveNetwork>()

  constructor(settings: VlansSettings) {
    this.#settings = settings
  }

  live({ id, name }: Pick<NetworkRecord, 'id' | 'name'>): LiveNetwork {
    const network = this.#live.get(id)
    if (network === undefined) throw noSuchNetwork(name)
    return network
  }

  async add(record: NetworkRecord): Promise<void> {
    await this.#makeParent(record)
    this.#live.set(record.id, new LiveNetwork(record))
  }

  /** A link that was made for it goes with the last network on it. */
  async remove(record: NetworkRecord): Promise<void> {
    this.#live.delete(record.id)
    const parent = parentOf(record)
    if ([...this.#live.values()].some((other) => parentOf(other.record) === parent)) return
    if (await this.#isOurs(parent)) await this.#settings.removeLinks([parent])
  }

  /** A network whose link is gone is there, and its containers do not start. */
  async restore(records: readonly NetworkRecord[]): Promise<void> {
    for (const record of records) {
      this.#live.set(record.id, new LiveNetwork(record))
      await this.#makeParent(record).catch((problem: unknown) => {
        this.#settings.log.error({ network: record.name, problem: String(problem) }, 'the link of a network is missing')
      })
    }
  }

  /** For an engine that ends and leaves nobody on them. */
  async removeAll(): Promise<void> {
    for (const { record } of [...this.#live.values()]) await this.remove(record)
  }

  async #makeParent(record: NetworkRecord): Promise<void> {
    const parent = parentOf(record)
    if (isLinkThere(parent)) return
    const lines = askedParent(record) === undefined ? [`link add name ${parent} type bridge`] : [vlanLine(parent)]
    const mark = `link set dev ${parent} alias ${this.#settings.markOf(record.id)} up`
    try {
      await runIp([...lines, mark])
    } catch (problem) {
      throw systemError(`failed to create the parent interface ${parent}: ${(problem as ProgramFailed).message}`)
    }
  }

  async #isOurs(parent: string): Promise<boolean> {
    const ours = this.#settings.markOf('')
    return (await markedLinks()).some(({ name, mark }) => name === parent && mark.startsWith(ours))
  }
}

/** `eth0.10` can be made: the packets of VLAN 10 on eth0. */
function vlanLine(name: string): string {
  const [, link, text] = /^([^.]+)\.(\d+)$/.exec(name) ?? []
  if (link === undefined)
    throw invalidParameter(`invalid subinterface vlan name ${name}, example formatting is eth0.10`)
  if (!isLinkThere(link)) throw invalidParameter(`-o parent interface was not found on the host: ${link}`)
  const id = Number(text)
  if (id < 1 || id > maxVlan) throw invalidParameter(`vlan id must be between 1-${maxVlan}, received: ${id}`)
  return `link add link ${link} name ${name} type vlan id ${id}`
}

/** It appears in the network namespace of the process at once, and ends with it. */
export function addVlan({ network, interfaceName, settings }: LiveEndpoint, pid: number): string {
  const { record, mtu } = network
  const hardware = record.driver === 'macvlan' ? ` address ${settings.MacAddress}` : ''
  const size = mtu === undefined ? '' : ` mtu ${mtu}`
  return `link add link ${parentOf(record)} name ${interfaceName}${size}${hardware} netns ${pid} type ${linkType(record)}`
}

/** From a container that goes on. The name of its interface is forgotten by a restart of the engine. */
export async function removeVlan({ address4, address6 }: LiveEndpoint, pid: number): Promise<void> {
  const inside = [`--net=/proc/${pid}/ns/net`, 'ip', '-json', 'addr', 'show']
  const links: { ifname: string; addr_info: { local?: string }[] }[] = JSON.parse(await runProgram('nsenter', inside))
  const found = links.find(({ addr_info }) =>
    addr_info.some(({ local }) => local !== undefined && (local === address4 || local === address6)),
  )
  if (found !== undefined) await runIpInside(pid, [`link delete dev ${found.ifname}`])
}
