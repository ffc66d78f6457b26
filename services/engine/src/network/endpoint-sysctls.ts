// Kernel settings of one endpoint's interface: `net.ipv4.conf.IFNAME.log_martians=1,net.ipv6.conf.IFNAME.…`.
import type { EndpointSettings } from '../resources/containers/schema.ts'

export const sysctlsOption = 'com.docker.network.endpoint.sysctls'

export interface EndpointSysctl {
  /** Below /proc/sys, with IFNAME where the interface goes. */
  path: string
  value: string
}

// The document writes `config` where the kernel says `conf`.
const form = /^net\.(ipv4|ipv6|mpls)\.(conf|config|neigh)\.([^.=\s]+)\.([a-z0-9_]+)=(\S.*)$/

/** ENG-101 to ENG-104. The docker client writes all of its `--network` options in small letters: `ifname` too. */
export function readEndpointSysctls(endpoint: EndpointSettings): { sysctls: EndpointSysctl[]; problems: string[] } {
  const text = endpoint.DriverOpts?.[sysctlsOption] ?? ''
  const sysctls: EndpointSysctl[] = []
  const problems: string[] = []
  for (const part of text === '' ? [] : text.split(',')) {
    const [, family, kind, name, key, value] = form.exec(part.trim()) ?? []
    if (family === undefined || kind === undefined || key === undefined || value === undefined) {
      problems.push(`invalid endpoint sysctl '${part}': expected net.<ipv4|ipv6>.conf.IFNAME.<key>=<value>`)
    } else if (name?.toUpperCase() !== 'IFNAME') {
      problems.push(`invalid endpoint sysctl '${part}': the interface must be written IFNAME, not ${name}`)
    } else {
      sysctls.push({ path: `net/${family}/${kind === 'config' ? 'conf' : kind}/IFNAME/${key}`, value: value.trim() })
    }
  }
  return { sysctls, problems }
}
