// The one nftables table of the engine. Nothing outside it is ever changed.
//
// Chains and their places, for those who write rules of their own:
//   guard        prerouting  -300  containers cannot reach the host's loopback, nor anybody an encrypted network but
//                                  through its tunnel
//   prerouting   prerouting  -100  published ports, for traffic from elsewhere (dnat)
//   output       output      -100  published ports, for the host's own traffic (dnat); the loopback of IPv6 cannot be
//                                  routed, nor that of IPv4 to other machines: there the holder of the port serves
//   forward      forward        0  what may pass to and from containers; a drop in any chain of the host's is final
//   What another node of a swarm sends to a published port of a service goes to tasks of this machine (share_here).
//   postrouting  postrouting  100  containers speak to the world by the host's address (masquerade)
// To keep others away from published ports, hook a chain of your own into `forward` (any priority) and match the
// original destination: `meta l4proto tcp ct original proto-dst 8080 ip saddr != 10.0.0.0/8 drop`.
/** Bridges of all engines are in it: what one lets pass, another must not stop. */
export const linkGroup = 4_213

/** Connections to a service are shared out by a number below that. */
export const balanceBuckets = 64

export interface NetworkRules {
  bridge: string
  isInternal: boolean
  subnets: readonly { family: 4 | 6; subnet: string }[]
  /** Traffic to the world takes the host's address. */
  isHidden: boolean
}

export interface PublishedPort {
  family: 4 | 6
  /** Undefined: on all addresses of the host. */
  hostAddress: string | undefined
  protocol: string
  hostPort: number
  address: string
  port: number
}

/** Set or map, and the element as nft writes it; deleting needs the key alone. */
export interface Element {
  set: string
  key: string
  value?: string
}

export const networkElements = ({ bridge, isInternal, subnets, isHidden }: NetworkRules): Element[] => [
  { set: 'bridges', key: `"${bridge}"` },
  { set: 'same', key: `"${bridge}" . "${bridge}"` },
  ...(isInternal ? [{ set: 'internal', key: `"${bridge}"` }] : []),
  ...subnets.map(({ family, subnet }) => ({ set: `own${family}`, key: subnet })),
  ...(isHidden ? subnets.map(({ family, subnet }) => ({ set: `hidden${family}`, key: subnet })) : []),
]

export function portElement({ family, hostAddress, protocol, hostPort, address, port }: PublishedPort): Element {
  const value = `${address} . ${port}`
  return hostAddress === undefined
    ? { set: `published${family}any`, key: `${protocol} . ${hostPort}`, value }
    : { set: `published${family}`, key: `${hostAddress} . ${protocol} . ${hostPort}`, value }
}

export const addLine = (table: string, { set, key, value }: Element): string =>
  `add element inet ${table} ${set} { ${key}${value === undefined ? '' : ` : ${value}`} }`

export const deleteLine = (table: string, { set, key }: Element): string =>
  `delete element inet ${table} ${set} { ${key} }`

export const deleteTable = (table: string): string => `add table inet ${table}\ndelete table inet ${table}\n`

const sets = `  map published4 { type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service; }
  map published4any { type inet_proto . inet_service : ipv4_addr . inet_service; }
  map published6 { type ipv6_addr . inet_proto . inet_service : ipv6_addr . inet_service; }
  map published6any { type inet_proto . inet_service : ipv6_addr . inet_service; }
  set balanced { type inet_proto . inet_service; }
  set balanced_here { type inet_proto . inet_service; }
  map balance4here { type inet_proto . inet_service . mark : ipv4_addr . inet_service; }
  set balanced_far { type inet_proto . inet_service; }
  set peers4 { type ipv4_addr; }
  map balance4 { type inet_proto . inet_service . mark : ipv4_addr . inet_service; }
  set virtual { type ipv4_addr; }
  map virtual4 { type ipv4_addr . mark : ipv4_addr; }
  set bridges { type ifname; }
  set tunnels { type ifname; }
  set sealed { type inet_service; }
  set same { type ifname . ifname; }
  set internal { type ifname; }
  set own4 { type ipv4_addr; flags interval; }
  set own6 { type ipv6_addr; flags interval; }
  set hidden4 { type ipv4_addr; flags interval; }
  set hidden6 { type ipv6_addr; flags interval; }
`

/**
 * The table without its elements; replaces an older one in the same step. A host that passed on no packets before the
 * engine came (`isClosed`) does so for containers only.
 */
export const tableText = (table: string, isClosed: boolean): string => `${deleteTable(table)}
table inet ${table} {
${sets}  chain share {
    meta mark set numgen random mod ${balanceBuckets}
    dnat ip to meta l4proto . th dport . meta mark map @balance4
  }
  chain share_here {
    meta mark set numgen random mod ${balanceBuckets}
    dnat ip to meta l4proto . th dport . meta mark map @balance4here
  }
  chain stand_in {
    meta mark set numgen random mod ${balanceBuckets}
    dnat ip to ip daddr . meta mark map @virtual4
  }
  chain publish {
    ip daddr @virtual goto stand_in
    ip saddr @peers4 meta l4proto . th dport @balanced_here goto share_here
    ip daddr 127.0.0.0/8 meta l4proto . th dport @balanced_far return
    meta nfproto ipv4 meta l4proto . th dport @balanced goto share
    dnat ip to ip daddr . meta l4proto . th dport map @published4
    dnat ip to meta l4proto . th dport map @published4any
    dnat ip6 to ip6 daddr . meta l4proto . th dport map @published6
    dnat ip6 to meta l4proto . th dport map @published6any
  }
  chain guard {
    type filter hook prerouting priority -300; policy accept;
    iifname @bridges ip daddr 127.0.0.0/8 drop
    iifname != @tunnels udp dport @sealed drop
  }
  chain prerouting {
    type nat hook prerouting priority -100; policy accept;
    fib daddr type local jump publish
  }
  chain output {
    type nat hook output priority -100; policy accept;
    ip6 daddr ::1 return
    fib daddr type local jump publish
  }
  chain postrouting {
    type nat hook postrouting priority 100; policy accept;
    ip saddr 127.0.0.0/8 oifname @bridges masquerade
    ip saddr @own4 oifname @bridges ct status dnat masquerade
    ip daddr @peers4 ct status dnat masquerade
    ip6 saddr @own6 oifname @bridges ct status dnat masquerade
    ip saddr @hidden4 oifname != @bridges masquerade
    ip6 saddr @hidden6 oifname != @bridges masquerade
  }
  chain forward {
    type filter hook forward priority 0; policy accept;
    iifname . oifname @same accept
    ip daddr @peers4 ct status dnat accept
    ip saddr @peers4 ct status dnat accept
    iifname @internal drop
    oifname @internal drop
    oifname @bridges ct status dnat accept
    oifname @bridges ct state established,related accept
    oifname @bridges drop${isClosed ? `\n    meta iifgroup != ${linkGroup} meta oifgroup != ${linkGroup} drop` : ''}
  }
}
`
