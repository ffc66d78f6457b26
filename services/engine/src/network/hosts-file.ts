// The content of a container's /etc/hosts.
export interface HostsFile {
  hostname: string
  domainname: string
  /** The container's own, on all its networks. */
  addresses: readonly string[]
  /** `name:address` or `name=address`; `host-gateway` is the host as seen from the container. */
  extraHosts: readonly string[]
  hostGateway: string
  /** Links of the default bridge: address and names. */
  links: readonly { address: string; names: readonly string[] }[]
}

const standard = [
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::\tip6-localnet',
  'ff00::\tip6-mcastprefix',
  'ff02::1\tip6-allnodes',
  'ff02::2\tip6-allrouters',
]

export function hostsFile(host: HostsFile): string {
  return [...standard, ...givenLines(host), ...ownLines(host), ''].join('\n')
}

/** The host's own file, with what the container was given beside it. */
export function withNames(own: string, host: HostsFile): string {
  const lines = givenLines(host).map((line) => `${line}\n`)
  return [own, ...(own === '' || own.endsWith('\n') || lines.length === 0 ? [] : ['\n']), ...lines].join('')
}

const givenLines = ({ extraHosts, hostGateway, links }: HostsFile): string[] => [
  ...extraHosts.map((line) => extraHost(line, hostGateway)),
  ...links.map(({ address, names }) => `${address}\t${[...new Set(names)].join(' ')}`),
]

type Own = Pick<HostsFile, 'hostname' | 'domainname' | 'addresses'>

const ownLines = ({ hostname, domainname, addresses }: Own): string[] =>
  addresses.map((address) => `${address}\t${domainname === '' ? hostname : `${hostname}.${domainname} ${hostname}`}`)

/** The file of a container that has other addresses now; what somebody wrote into it stays. */
export function withOwnLines(text: string, before: Own, now: Own): string {
  const lines = text.replace(/\n$/, '').split('\n')
  const wanted = ownLines(now)
  const gone = ownLines(before).filter((line) => !wanted.includes(line))
  const kept = lines.filter((line) => !gone.includes(line))
  return [...kept, ...wanted.filter((line) => !kept.includes(line)), ''].join('\n')
}

function extraHost(line: string, gateway: string): string {
  const found = /^([^:=]+)[:=](.*)$/.exec(line)
  const address = (found?.[2] ?? '').replace(/^\[(.*)\]$/, '$1')
  return `${address === 'host-gateway' ? gateway : address}\t${found?.[1] ?? ''}`
}
