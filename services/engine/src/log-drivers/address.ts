// Where logs are sent: a host and a port, or a socket of this machine; and why nobody could be reached there.
import { isIP } from 'node:net'

type Protocol = 'tcp' | 'udp' | 'unix'
export type Address = { protocol: 'unix'; path: string } | { protocol: 'tcp' | 'udp'; host: string; port: number }

const maxPort = 65_535
/** Linux takes no longer ones. */
const maxSocketPath = 107

interface AddressRules {
  protocols: readonly Protocol[]
  host: string
  port: number
}

/** Gives the address, or says what is wrong with it. `protocols[0]` holds where none is named. */
export function readAddress(text: string, rules: AddressRules): Address | string {
  const [, scheme, rest = ''] = /^(?:([a-z0-9+]+):\/\/)?(.*)$/s.exec(text) ?? []
  const protocol = scheme === undefined ? rules.protocols[0] : rules.protocols.find((each) => each === scheme)
  if (protocol === undefined) return `unsupported scheme: '${scheme}', expected ${rules.protocols.join(', ')}`
  if (protocol === 'unix') return readPath(rest)
  const found = /^(?:\[([^\]]*)\]|([^:/]*))(?::(\d{1,5}))?$/.exec(rest)
  if (found === null) return 'expected a host and a port'
  const [, bracketed, name, port] = found
  const host = bracketed ?? (name || rules.host)
  const number = port === undefined ? rules.port : Number(port)
  if (bracketed !== undefined && isIP(bracketed) !== 6) return `'${bracketed}' is no IPv6 address`
  if (number < 1 || number > maxPort) return `invalid port: '${port}'`
  return { protocol, host, port: number }
}

function readPath(path: string): Address | string {
  if (!path.startsWith('/')) return 'the path of a socket begins with /'
  if (Buffer.byteLength(path) > maxSocketPath) return `the path of a socket has at most ${maxSocketPath} bytes`
  return { protocol: 'unix', path }
}

const describeAddress = (address: Address): string =>
  address.protocol === 'unix'
    ? `unix ${address.path}`
    : `${address.protocol} ${isIP(address.host) === 6 ? `[${address.host}]` : address.host}:${address.port}`

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connect: connection refused',
  ENOENT: 'connect: no such file or directory',
  EACCES: 'connect: permission denied',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'temporary failure in name resolution',
}

/** Nobody listens where logs are to go. */
export class DialFailure extends Error {
  constructor(address: Address, cause: NodeJS.ErrnoException) {
    super(`dial ${describeAddress(address)}: ${reasons[cause.code ?? ''] ?? cause.message}`)
  }
}
