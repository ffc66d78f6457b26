// Commands that mean something to the endpoint itself. All others pass by without being looked at.

export type CommandKind =
  | 'begin' // MULTI
  | 'execute' // EXEC
  | 'discard'
  | 'watch'
  | 'unwatch'
  | 'remember' // state of the connection
  | 'client'
  | 'info'
  | 'reset'
  | 'quit'
  | 'block' // may wait for others
  | 'maybe-block' // with BLOCK among its arguments
  | 'count-replicas' // WAIT, WAITAOF
  | 'subscribe'
  | 'unsubscribe'
  | 'monitor'
  | 'slow-log'

const kinds: Record<CommandKind, string> = {
  begin: 'multi',
  execute: 'exec',
  discard: 'discard',
  watch: 'watch',
  unwatch: 'unwatch',
  remember: 'select auth hello',
  client: 'client',
  info: 'info',
  reset: 'reset',
  quit: 'quit',
  block: 'blpop brpop blmove brpoplpush blmpop bzpopmin bzpopmax bzmpop',
  'maybe-block': 'xread xreadgroup',
  'count-replicas': 'wait waitaof',
  subscribe: 'subscribe psubscribe ssubscribe',
  unsubscribe: 'unsubscribe punsubscribe sunsubscribe',
  monitor: 'monitor',
  'slow-log': 'slowlog',
}

const longestName = 15
const byName = new Map<string, CommandKind>()
/** Index: length of the name * 256 + its first letter in lower case. */
const mayBeSpecial = new Uint8Array(256 * (longestName + 1))
for (const [kind, names] of Object.entries(kinds)) {
  for (const name of names.split(' ')) {
    byName.set(name, kind as CommandKind)
    mayBeSpecial[name.length * 256 + name.charCodeAt(0)] = 1
  }
}

const lowerCase = 0x20

/** Undefined for what just passes. */
export function kindOf(bytes: Uint8Array, nameAt: number, nameLength: number): CommandKind | undefined {
  if (nameLength > longestName) return undefined
  if (mayBeSpecial[nameLength * 256 + ((bytes[nameAt] as number) | lowerCase)] === 0) return undefined
  let name = ''
  for (let at = nameAt; at < nameAt + nameLength; at++) name += String.fromCharCode((bytes[at] as number) | lowerCase)
  return byName.get(name)
}
