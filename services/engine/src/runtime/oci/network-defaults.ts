// Kernel parameters that a network namespace of a container's own begins with.
export const pingGroups = 'net.ipv4.ping_group_range'

/** Nobody in there needs to be root to listen on a low port, or to ping. */
export const networkDefaults: Readonly<Record<string, string>> = {
  [pingGroups]: '0 2147483647',
  'net.ipv4.ip_unprivileged_port_start': '0',
}
