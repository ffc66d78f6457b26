// What a module can say that it supports.
export const capabilities: readonly (readonly [name: string, description: string])[] = [
  ['types', 'has data types of its own'],
  ['no_multi_key', 'has no command that works on several keys'],
  ['replica_of', 'can be copied to another database as it changes'],
  ['backup_restore', 'can be backed up and brought back'],
  ['eviction_expiry', 'keys may expire, and be evicted when memory is full'],
  ['reshard_rebalance', 'keys may move between shards'],
  ['failover_migrate', 'can be replicated, fail over and move'],
  ['persistence_aof', 'can be kept in an append-only file'],
  ['persistence_rdb', 'can be kept in snapshots'],
  ['hash_policy', 'works with any rule that spreads keys over shards'],
  ['flash', 'works with values in flash memory'],
  ['crdb', 'works with databases that several clusters write to'],
  ['clustering', 'works with several shards'],
  ['intershard_tls', 'can encrypt what its shards tell each other'],
  ['intershard_tls_pass', 'can use an encrypted key for that'],
  ['ipv6', 'works over IPv6'],
]

const known = new Set(capabilities.map(([name]) => name))

export const unknownNames = (names: readonly string[]): string[] => names.filter((name) => !known.has(name))
