// Gives out ports of the host, on one address or on all of them, and notices when they are taken.
import { readFileSync } from 'node:fs'
import { systemError } from '../errors.ts'
import { parseAddress } from './address.ts'
import { type HeldPort, holdPort, type Target } from './held-port.ts'
import { isInUse, onceFree } from './once-free.ts'
import type { WantedPort } from './port-bindings.ts'

export interface ClaimedPort {
  name: string
  protocol: string
  port: number
  /** One of the host's addresses, `0.0.0.0` or `::`. */
  hostAddress: string
  hostPort: number
}

export interface ClaimSettings {
  /** Names the place in an error. */
  endpoint: string
  /** For ports that are wanted on no address in particular. */
  defaultAddresses: readonly string[]
  target(port: number, family: 4 | 6): Target | undefined
  /** The ports are the owner's, even where somebody else holds them now. */
  isForced?: boolean
}

interface Holding extends ClaimedPort {
  held: HeldPort
}

const notHeld = (port: number): HeldPort => ({ port, close: () => {} })

export class HostPorts {
  readonly #holdings = new Map<string, Holding[]>()
  /** Also those that are being taken just now, and those that Node cannot hold (SCTP). */
  readonly #names = new Set<string>()
  #nextFree = 0

  /** All or none. */
  async claim(owner: string, wanted: readonly WantedPort[], settings: ClaimSettings): Promise<ClaimedPort[]> {
    const claimed: Holding[] = []
    try {
      for (const want of wanted) {
        const addresses = want.hostAddress === '' ? settings.defaultAddresses : [want.hostAddress]
        claimed.push(...(await this.#claimOne(want, addresses, settings)))
      }
    } catch (problem) {
      for (const holding of claimed) this.#letGo(holding)
      throw problem
    }
    this.#holdings.set(owner, [...(this.#holdings.get(owner) ?? []), ...claimed])
    return claimed.map(({ held: _, ...port }) => port)
  }

  of(owner: string): readonly ClaimedPort[] {
    return this.#holdings.get(owner) ?? []
  }

  release(owner: string): void {
    for (const holding of this.#holdings.get(owner) ?? []) this.#letGo(holding)
    this.#holdings.delete(owner)
  }

  #letGo(holding: Holding): void {
    holding.held.close()
    this.#names.delete(nameOf(holding))
  }

  async #claimOne(
    want: WantedPort,
    addresses: readonly string[],
    { endpoint, target, isForced }: ClaimSettings,
  ): Promise<Holding[]> {
    let failed = ''
    for (const hostPort of this.#candidates(want)) {
      const holdings: Holding[] = []
      let place = ''
      try {
        for (const hostAddress of addresses) {
          place =
            parseAddress(hostAddress)?.family === 6 ? `[${hostAddress}]:${hostPort}` : `${hostAddress}:${hostPort}`
          const claimed = { name: want.name, protocol: want.protocol, port: want.port, hostAddress, hostPort }
          const family = parseAddress(hostAddress)?.family ?? 4
          const take = () => holdPort(want.protocol, hostAddress, hostPort, () => target(want.port, family))
          // Where there is a choice, another one is as good.
          const hold = () => (want.hostPorts.every((port) => port === hostPort) ? onceFree(take) : take())
          holdings.push({ ...claimed, held: await this.#hold(claimed, hold, isForced === true) })
        }
        return holdings
      } catch (problem) {
        for (const holding of holdings) this.#letGo(holding)
        failed = isInUse(problem)
          ? `Bind for ${place} failed: port is already allocated`
          : `cannot bind ${place}: ${problem instanceof Error ? problem.message : problem}`
        if (!isInUse(problem)) break
      }
    }
    throw systemError(`driver failed programming external connectivity on endpoint ${endpoint}: ${failed}`)
  }

  /** The name is taken first: two who want the same at the same time cannot both have it. */
  async #hold(claimed: ClaimedPort, hold: () => Promise<HeldPort>, isForced: boolean): Promise<HeldPort> {
    const name = nameOf(claimed)
    if (this.#names.has(name) && !isForced) throw Object.assign(new Error(), { code: 'EADDRINUSE' })
    this.#names.add(name)
    try {
      return await hold()
    } catch (problem) {
      if (isForced) return notHeld(claimed.hostPort)
      this.#names.delete(name)
      throw problem
    }
  }

  /** Ephemeral ports go round, so that a port is not given to another right after it was let go. */
  *#candidates({ hostPorts: [first, last] }: WantedPort): Generator<number> {
    if (last !== 0) {
      for (let port = Math.max(first, 1); port <= last; port++) yield port
      return
    }
    const [low, high] = ephemeralRange()
    for (let count = low; count <= high; count++) {
      if (this.#nextFree < low || this.#nextFree > high) this.#nextFree = low
      yield this.#nextFree++
    }
  }
}

const nameOf = ({ protocol, hostAddress, hostPort }: Omit<ClaimedPort, 'name' | 'port'>): string =>
  `${protocol} ${hostAddress} ${hostPort}`

function ephemeralRange(): [number, number] {
  try {
    const [low, high] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').trim().split(/\s+/).map(Number)
    return low !== undefined && high !== undefined && low <= high ? [low, high] : [32_768, 60_999]
  } catch {
    return [32_768, 60_999]
  }
}
