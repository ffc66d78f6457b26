// /etc/resolv.conf: what the host has, and what containers get.
import { readFileSync, statSync } from 'node:fs'
import { parseAddress } from './address.ts'
import type { LiveNetwork } from './live-network.ts'

export interface ResolverSettings {
  servers: string[]
  search: string[]
  options: string[]
}

const maxServers = 3
const maxFileBytes = 64 * 1024

export function readResolvConf(text: string): ResolverSettings {
  const settings: ResolverSettings = { servers: [], search: [], options: [] }
  for (const line of text.slice(0, maxFileBytes).split('\n')) {
    const [word, ...rest] = line
      .replace(/[#;].*$/, '')
      .trim()
      .split(/\s+/)
    const [first] = rest
    if (word === 'nameserver' && first !== undefined && parseAddress(first) !== undefined) settings.servers.push(first)
    if (word === 'search' || word === 'domain') settings.search = rest
    if (word === 'options') settings.options.push(...rest)
  }
  return settings
}

export function writeResolvConf({ servers, search, options }: ResolverSettings): string {
  // A single dot says: search nowhere.
  const domains = search.filter((domain) => domain !== '.')
  return [
    ...servers.slice(0, maxServers).map((server) => `nameserver ${server}`),
    ...(domains.length > 0 ? [`search ${domains.join(' ')}`] : []),
    ...(options.length > 0 ? [`options ${options.join(' ')}`] : []),
    '',
  ].join('\n')
}

/** Of a container on these networks: by what it asked for, and what the host has. */
export function resolverOf(
  asked: ResolverSettings,
  host: ResolverSettings,
  networks: readonly Pick<LiveNetwork, 'isDefault' | 'subnet4'>[],
): ResolverSettings {
  const named = networks.filter(({ isDefault }) => !isDefault)
  const gateways = (named.length > 0 ? named : networks).flatMap(({ subnet4 }) => subnet4?.gateway ?? [])
  const own = asked.servers.length > 0 ? asked.servers : host.servers
  const options = asked.options.length > 0 ? asked.options : host.options
  const isChosen = options.some((option) => /^ndots:/.test(option))
  return {
    // Servers of its own are asked through ours, which know the names of its networks; the default one has no names.
    servers: gateways.length === 0 || (named.length === 0 && asked.servers.length > 0) ? own : gateways,
    search: asked.search.length > 0 ? asked.search : host.search,
    options: named.length > 0 && !isChosen ? [...options, 'ndots:0'] : options,
  }
}

/** The host's settings, read again when the file has changed. */
export class HostResolver {
  readonly #path: string
  #known: { stamp: string; settings: ResolverSettings } | undefined

  constructor(path = '/etc/resolv.conf') {
    this.#path = path
  }

  get settings(): ResolverSettings {
    try {
      const { mtimeMs, ino, size } = statSync(this.#path)
      const stamp = `${mtimeMs} ${ino} ${size}`
      if (this.#known?.stamp !== stamp) {
        this.#known = { stamp, settings: readResolvConf(readFileSync(this.#path, 'utf8')) }
      }
      return this.#known.settings
    } catch {
      return { servers: [], search: [], options: [] }
    }
  }
}
