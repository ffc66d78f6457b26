// Networks that span machines: each has a VXLAN link on its bridge. Nothing is found by asking around: where an address
// is was told, so the link answers for addresses elsewhere by itself, and sends frames to the machine that has them.
import { hardwareAddressOf } from './hardware-address.ts'
import { isLinkThere, runIp } from './links.ts'
import type { LiveNetwork } from './live-network.ts'
import { runProgram } from './program.ts'
import type { Tunnel, TunnelPlan } from './tunnel.ts'

export interface Span {
  /** Tells networks on one wire apart. */
  vni: number
  /** UDP port that all machines use. */
  port: number
  /** Of this machine, for traffic between machines. */
  local: string
  /** Addresses on the network that are on other machines. */
  peers: readonly Peer[]
  /** Of a network that is encrypted: all its machines. Other addresses are those of machines in the tunnel then. */
  tunnel?: TunnelPlan | undefined
}

export interface Peer {
  address: string
  /** Of the machine that has it. */
  host: string
}

export const spanLinkOf = (networkId: string): string => `vx-${networkId.slice(0, 12)}`

export class Spans {
  readonly #markOf: (name: string) => string
  readonly #tunnel: Tunnel
  /** What each link was told, by the name of the link. */
  readonly #told = new Map<string, Map<string, string>>()

  constructor(markOf: (name: string) => string, tunnel: Tunnel) {
    this.#markOf = markOf
    this.#tunnel = tunnel
  }

  async set({ record, bridge, mtu = 0 }: LiveNetwork, { vni, port, local, peers, tunnel }: Span): Promise<void> {
    const link = spanLinkOf(record.id)
    if (tunnel !== undefined && peers.length > 0) await this.#tunnel.set(record.id, { ...tunnel, mtu })
    if (!isLinkThere(link)) {
      // It is on this machine alone: nothing needs to leave it.
      if (peers.length === 0) return
      this.#told.set(link, new Map())
      // With its tunnel it goes as well: nothing leaves in the clear.
      const through = tunnel === undefined ? '' : ` dev ${this.#tunnel.link}`
      await runIp([
        `link add name ${link} mtu ${mtu} type vxlan id ${vni} local ${local}${through} dstport ${port} nolearning proxy`,
        `link set dev ${link} addrgenmode none`,
        `link set dev ${link} alias ${this.#markOf(link)} master ${bridge} up`,
      ])
    }
    const told = this.#told.get(link)
    const before = told ?? (await readPeers(link))
    const wanted = new Map(peers.map(({ address, host }) => [address, host]))
    const gone = [...before].filter(([address, host]) => wanted.get(address) !== host)
    const fresh = [...wanted].filter(([address, host]) => told?.get(address) !== host)
    if (told === undefined || told.size === 0) await runIp([`link set dev ${link} type bridge_slave learning off`])
    await forget(link, gone)
    await runBridge(
      fresh.flatMap(([address, host]) => [
        `fdb replace ${hardwareAddressOf(address)} dev ${link} dst ${host}`,
        `fdb replace ${hardwareAddressOf(address)} dev ${link} master static`,
      ]),
    )
    await runIp(
      fresh.map(
        ([address]) => `neigh replace ${address} lladdr ${hardwareAddressOf(address)} dev ${link} nud permanent`,
      ),
    )
    this.#told.set(link, wanted)
  }

  /** Names of links that nothing needs any more. */
  forget(networkId: string): string[] {
    this.#told.delete(spanLinkOf(networkId))
    return [spanLinkOf(networkId), ...(this.#tunnel.forget(networkId) ? [this.#tunnel.link] : [])]
  }
}

/**
 * Addresses that are no longer there. The bridge is told as well: it would send to other machines what is for a task
 * here that has got the address meanwhile, for as long as that says nothing by itself. One line that fails, as there is
 * nothing to forget, holds up no other.
 */
async function forget(link: string, gone: readonly (readonly [address: string, host: string])[]): Promise<void> {
  if (gone.length === 0) return
  const places = gone.flatMap(([address, host]) => [
    `fdb del ${hardwareAddressOf(address)} dev ${link} dst ${host}`,
    `fdb del ${hardwareAddressOf(address)} dev ${link} master`,
  ])
  const neighbours = gone.map(([address]) => `neigh del ${address} dev ${link}`)
  await runProgram('bridge', ['-force', '-batch', '-'], `${places.join('\n')}\n`).catch(() => {})
  await runProgram('ip', ['-force', '-batch', '-'], `${neighbours.join('\n')}\n`).catch(() => {})
}

const runBridge = (lines: readonly string[]): Promise<string> =>
  lines.length === 0 ? Promise.resolve('') : runProgram('bridge', ['-batch', '-'], `${lines.join('\n')}\n`)

/** Of a link that an engine before this one has made. */
async function readPeers(link: string): Promise<Map<string, string>> {
  const read = async <T>(program: string, args: string[]): Promise<T[]> =>
    JSON.parse((await runProgram(program, ['-json', ...args])) || '[]')
  const hosts = await read<{ mac: string; dst?: string }>('bridge', ['fdb', 'show', 'dev', link])
  const neighbours = await read<{ dst: string; lladdr?: string }>('ip', [
    'neigh',
    'show',
    'dev',
    link,
    'nud',
    'permanent',
  ])
  return new Map(
    neighbours.flatMap(({ dst, lladdr }) => {
      const host = hosts.find((one) => one.mac === lladdr && one.dst !== undefined)?.dst
      return host === undefined ? [] : [[dst, host]]
    }),
  )
}
