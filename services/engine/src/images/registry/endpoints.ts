// Where a registry is reached: which addresses, in which order, and how far each is trusted.
import { BlockList, isIP } from 'node:net'
import { invalidParameter } from '../../errors.ts'
import type { RegistrySettings } from './settings.ts'

export interface Endpoint {
  /** `https://localhost:5000`, without a slash at the end. */
  base: string
  /** The certificate is not checked. */
  isInsecure: boolean
  /** A mirror never sees the credentials for what it mirrors. */
  isMirror: boolean
}

/** The default registry: its name in references, the names clients call it by, and the host that serves it. */
const defaultRegistry = {
  name: 'docker.io',
  aliases: new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io']),
  base: 'https://registry-1.docker.io',
  /** Where its repositories are searched. */
  index: 'https://index.docker.io',
}

export function pullEndpoints(registry: string, settings: RegistrySettings): Endpoint[] {
  if (!defaultRegistry.aliases.has(registry)) return pushEndpoints(registry, settings)
  const mirrors = settings.mirrors.map((address): Endpoint => {
    const url = new URL(address)
    return { base: withoutSlash(address), isInsecure: isInsecure(url.host, settings), isMirror: true }
  })
  return [...mirrors, ...pushEndpoints(registry, settings)]
}

/** Mirrors are for reading alone. */
export function pushEndpoints(registry: string, settings: RegistrySettings): Endpoint[] {
  if (defaultRegistry.aliases.has(registry)) {
    return [{ base: defaultRegistry.base, isInsecure: false, isMirror: false }]
  }
  if (!URL.canParse(`https://${registry}`))
    throw invalidParameter(`invalid registry address: ${registry.slice(0, 200)}`)
  const secure: Endpoint = {
    base: `https://${registry}`,
    isInsecure: isInsecure(registry, settings),
    isMirror: false,
  }
  return secure.isInsecure ? [secure, { ...secure, base: `http://${registry}` }] : [secure]
}

/** The index of docker.io, behind its mirrors. */
export function searchEndpoints(settings: RegistrySettings): Endpoint[] {
  const mirrors = pullEndpoints(defaultRegistry.name, settings).filter(({ isMirror }) => isMirror)
  return [...mirrors, { base: defaultRegistry.index, isInsecure: false, isMirror: false }]
}

/** `https://index.docker.io/v1/`, `localhost:5000`, `http://localhost:5000/v2/` → the registry's name in references. */
export function hostOfAddress(address: string): string {
  const host = address.replace(/^https?:\/\//, '').replace(/\/.*$/s, '')
  return defaultRegistry.aliases.has(host) ? defaultRegistry.name : host
}

export function isLoopback(host: string): boolean {
  const name = hostName(host)
  return name === 'localhost' || (isIP(name) !== 0 && loopback.check(name, family(name)))
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

function isInsecure(host: string, { insecure }: RegistrySettings): boolean {
  return isLoopback(host) || insecure.some((entry) => covers(entry, host))
}

function covers(entry: string, host: string): boolean {
  if (!entry.includes('/')) return entry === host || entry === hostName(host)
  const [network = '', bits = ''] = entry.split('/')
  const name = hostName(host)
  if (isIP(network) === 0 || isIP(name) === 0 || !/^\d{1,3}$/.test(bits)) return false
  if (Number(bits) > (isIP(network) === 4 ? 32 : 128)) return false
  const list = new BlockList()
  list.addSubnet(network, Number(bits), family(network))
  return list.check(name, family(name))
}

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6')

/** Without the port, and without the brackets of an IPv6 address. */
function hostName(host: string): string {
  const bracket = /^\[([^\]]+)\]/.exec(host)
  return bracket?.[1] ?? host.replace(/:\d+$/, '')
}

const withoutSlash = (address: string): string => address.replace(/\/+$/, '')
