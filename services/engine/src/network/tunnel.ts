// What encrypted networks travel through: one WireGuard link of this machine, to all machines that share such a network
// with it. Its key is in memory and in the link alone: a machine that starts again has another one, and tells it.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { findProgram } from '@atoll/kernel/programs/find-program'
import type { Element } from './firewall-rules.ts'
import { isLinkThere, runIp } from './links.ts'
import { runProgram } from './program.ts'

/** A machine at the other end. */
export interface TunnelPeer {
  /** Its public key, in base64. */
  key: string
  /** Its address among machines. */
  host: string
}

export interface TunnelPlan {
  /** UDP port that all machines listen at. */
  port: number
  peers: readonly TunnelPeer[]
}

/** VXLAN inside the tunnel; no port that a swarm's own traffic may be set to. */
export const sealedPort = 49_789

const smallestMtu = 1_420
/** What VXLAN over IPv6 adds to a packet. */
const vxlanBytes = 70
/** All addresses of machines in tunnels begin so: `fd` and "atoll". */
const prefix = 'fd61:746f:6c6c'

/** A machine's address in the tunnel follows from its key, so nobody else's packets can come from it. */
export function tunnelAddressOf(publicKey: string): string {
  const digits = createHash('sha256').update(publicKey).digest('hex')
  const groups = Array.from({ length: 5 }, (_, index) => digits.slice(index * 4, index * 4 + 4))
  return [prefix, ...groups].join(':')
}

export interface TunnelSettings {
  /** Ten hexadecimal digits that tell engines on one host apart. */
  instance: string
  /** Of a link of ours. */
  markOf(name: string): string
  /** Holds them in the firewall. */
  guard(elements: readonly Element[]): Promise<void>
}

export class Tunnel {
  readonly link: string
  readonly #settings: TunnelSettings
  /** What each network needs, by its id. */
  readonly #plans = new Map<string, TunnelPlan & { mtu: number }>()
  #opening: Promise<{ privateKey: string } | { problem: string }> | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(settings: TunnelSettings) {
    this.link = `wg-${settings.instance}`
    this.#settings = settings
  }

  /** What this machine lacks; undefined: nothing. */
  async whyNot(): Promise<string | undefined> {
    const found = await this.#open()
    return 'problem' in found ? found.problem : undefined
  }

  /** In base64; undefined where this machine cannot have a tunnel. */
  async publicKey(): Promise<string | undefined> {
    const found = await this.#open()
    return 'problem' in found ? undefined : publicOf(found.privateKey)
  }

  get isThere(): boolean {
    return isLinkThere(this.link)
  }

  /** Only what comes through the tunnel is for networks that are encrypted. */
  get elements(): Element[] {
    return [
      { set: 'tunnels', key: `"${this.link}"` },
      { set: 'sealed', key: String(sealedPort) },
    ]
  }

  /** The link is there, and knows the machines that the network is on. */
  set(networkId: string, plan: TunnelPlan & { mtu: number }): Promise<void> {
    this.#plans.set(networkId, plan)
    return this.#inTurn(() => this.#apply())
  }

  /** True: no network needs it any more. */
  forget(networkId: string): boolean {
    return this.#plans.delete(networkId) && this.#plans.size === 0
  }

  async #apply(): Promise<void> {
    const found = await this.#open()
    if ('problem' in found) throw new Error(found.problem)
    if (!this.isThere) await this.#settings.guard(this.elements)
    const plans = [...this.#plans.values()]
    const mtu = Math.max(smallestMtu, ...plans.map((plan) => plan.mtu + vxlanBytes))
    if (!this.isThere) await addLink(this.link)
    // A machine may have IPv6 switched off on new links.
    writeFileSync(`/proc/sys/net/ipv6/conf/${this.link}/disable_ipv6`, '0')
    const address = tunnelAddressOf(publicOf(found.privateKey))
    // It opens its input by name, which a socket does not allow.
    const script = 'cat | wg syncconf "$0" /dev/stdin'
    await runProgram('sh', ['-c', script, this.link], configOf(found.privateKey, plans))
    await runIp([
      `link set dev ${this.link} mtu ${mtu} alias ${this.#settings.markOf(this.link)} addrgenmode none up`,
      `addr replace ${address}/48 dev ${this.link} nodad`,
    ])
  }

  /** A link that an engine before this one has made has its key still. */
  #open(): Promise<{ privateKey: string } | { problem: string }> {
    this.#opening ??= openKey(this.link)
    return this.#opening
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const mine = this.#last.then(work, work)
    this.#last = mine.catch(() => {})
    return mine
  }
}

async function openKey(link: string): Promise<{ privateKey: string } | { problem: string }> {
  if (findProgram('wg') === undefined) return { problem: lacking('the program wg (apt-get install wireguard-tools)') }
  if (!existsSync('/proc/sys/net/ipv6')) return { problem: lacking('IPv6 in its kernel') }
  if (isLinkThere(link)) {
    const known = (await runProgram('wg', ['show', link, 'private-key']).catch(() => '')).trim()
    if (/^[\w+/]{43}=$/.test(known)) return { privateKey: known }
  }
  if (findProgram('wireguard-go') === undefined && !(await hasKernelWireguard(link))) {
    return { problem: lacking('WireGuard in its kernel, or wireguard-go in its place') }
  }
  const { d = '' } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' })
  return { privateKey: Buffer.from(d, 'base64url').toString('base64') }
}

const lacking = (what: string): string =>
  `traffic between machines cannot be encrypted here: this machine lacks ${what}`

async function hasKernelWireguard(link: string): Promise<boolean> {
  try {
    await runIp([`link add name ${link} type wireguard`, `link delete dev ${link}`])
    return true
  } catch {
    return false
  }
}

/** By the kernel, or where that cannot, by a program that goes on without the engine, as the link has to. */
async function addLink(link: string): Promise<void> {
  try {
    await runIp([`link add name ${link} type wireguard`])
  } catch (problem) {
    if (findProgram('wireguard-go') === undefined) throw problem
    await runProgram('env', ['LOG_LEVEL=silent', 'wireguard-go', link])
  }
}

function publicOf(privateKey: string): string {
  // The fixed bytes that come before a key of this kind in PKCS #8.
  const der = Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), Buffer.from(privateKey, 'base64')])
  const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
  return Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')
}

function configOf(privateKey: string, plans: readonly TunnelPlan[]): string {
  const hosts = new Map(plans.flatMap(({ peers }) => peers.map(({ key, host }) => [key, host])))
  const port = plans[0]?.port ?? 0
  const peers = [...hosts].map(([key, host]) => {
    const endpoint = isIPv6(host) ? `[${host}]` : host
    return `[Peer]\nPublicKey = ${key}\nAllowedIPs = ${tunnelAddressOf(key)}/128\nEndpoint = ${endpoint}:${port}\n`
  })
  return `[Interface]\nPrivateKey = ${privateKey}\nListenPort = ${port}\n${peers.join('')}`
}
