// What the cluster itself asks its shards; clients have no other way to be told of it.
export const ownCommands: ReadonlySet<string> = new Set([
  ...['ping', 'client', 'info', 'auth', 'hello', 'select', 'spublish', 'replconf', 'psync', 'replicaof', 'config'],
  ...['acl', 'module', 'debug', 'dbsize', 'randomkey', 'bgsave', 'digest-value', 'shutdown', 'multi', 'discard'],
])

/** The name of the cluster's own connections to its shards. */
export const ownName = '__atoll'

/** The address of somebody who is not known any more. */
export const nobody = 'unknown:0'
