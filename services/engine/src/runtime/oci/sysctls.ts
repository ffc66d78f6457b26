// Kernel parameters of a container: only those that a namespace of its own holds.
import type { ContainerConfig, HostConfig } from '../../resources/containers/schema.ts'
import type { HostFacts } from './host.ts'
import { ownsIpc, ownsUts, sharesNetwork } from './namespaces.ts'
import { networkDefaults } from './network-defaults.ts'

const ofIpc = new Set([
  'kernel.msgmax',
  'kernel.msgmnb',
  'kernel.msgmni',
  'kernel.sem',
  'kernel.shmall',
  'kernel.shmmax',
  'kernel.shmmni',
  'kernel.shm_rmid_forced',
])

/** `net/ipv4/ip_forward` is `net.ipv4.ip_forward`, unless dots came first: then slashes belong to an interface's name. */
function dotted(name: string): string {
  const firstSlash = name.indexOf('/')
  const firstDot = name.indexOf('.')
  if (firstSlash < 0 || (firstDot >= 0 && firstDot < firstSlash)) return name
  return name.replaceAll('/', '\u0000').replaceAll('.', '/').replaceAll('\u0000', '.')
}

export function checkSysctls(hostConfig: HostConfig): string[] {
  return Object.keys(hostConfig.Sysctls ?? {}).flatMap((name) => {
    const key = dotted(name)
    if (/[\s=]/.test(key) || key.includes('..')) return [`invalid sysctl name '${name}'`]
    if (ofIpc.has(key) || key.startsWith('fs.mqueue.')) {
      return ownsIpc(hostConfig) ? [] : [`sysctl '${name}' is not allowed: the container shares an IPC namespace`]
    }
    if (key.startsWith('net.')) {
      return sharesNetwork(hostConfig)
        ? [`sysctl '${name}' is not allowed: the container shares a network namespace`]
        : []
    }
    if (key === 'kernel.domainname') {
      return ownsUts(hostConfig)
        ? []
        : [`sysctl '${name}' is not allowed: the container shares the host's UTS namespace`]
    }
    return [`sysctl '${name}' is not whitelisted: it belongs to the whole machine, not to a container`]
  })
}

/** With the domain name, which the runtimes set no other way. What the caller says goes before what is given. */
export function chooseSysctls(
  { Domainname }: ContainerConfig,
  hostConfig: HostConfig,
  { sysctls }: Pick<HostFacts, 'sysctls'>,
): Record<string, string> {
  const asked = Object.entries(hostConfig.Sysctls ?? {}).map(([name, value]) => [dotted(name), value])
  const domain = Domainname && ownsUts(hostConfig) ? [['kernel.domainname', Domainname]] : []
  const given = sharesNetwork(hostConfig) ? [] : Object.entries(networkDefaults).filter(([name]) => sysctls.has(name))
  return Object.fromEntries([...given, ...domain, ...asked])
}

const ofInterface = /^net\.(ipv4|ipv6|mpls)\.\w+\.eth\d+\.\w+$/

/** Interfaces come with networks, after the container's own parameters: these belong to an endpoint (ENG-106). */
export const checkInterfaceSysctls = ({ Sysctls = {} }: HostConfig): string[] =>
  Object.keys(Sysctls)
    .filter((name) => ofInterface.test(dotted(name)))
    .map(
      (name) =>
        `interface specific sysctl setting "${name}" must be supplied using driver option 'com.docker.network.endpoint.sysctls'`,
    )
