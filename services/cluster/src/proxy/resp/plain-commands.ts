// Commands that a connection may carry for anybody: each has one reply, waits for nobody, and leaves nothing behind on
// the connection. All others, those of modules too, need a connection of their own.

const names = [
  ...['append', 'decr', 'decrby', 'get', 'getdel', 'getex', 'getrange', 'getset', 'incr', 'incrby', 'incrbyfloat'],
  ...['lcs', 'mget', 'mset', 'msetnx', 'psetex', 'set', 'setex', 'setnx', 'setrange', 'strlen', 'substr'],
  ...['copy', 'del', 'dump', 'exists', 'expire', 'expireat', 'expiretime', 'persist', 'pexpire', 'pexpireat'],
  ...['pexpiretime', 'pttl', 'randomkey', 'rename', 'renamenx', 'restore', 'scan', 'touch', 'ttl', 'type', 'unlink'],
  ...['hdel', 'hexists', 'hget', 'hgetall', 'hincrby', 'hincrbyfloat', 'hkeys', 'hlen', 'hmget', 'hmset'],
  ...['hrandfield', 'hscan', 'hset', 'hsetnx', 'hstrlen', 'hvals'],
  ...['lindex', 'linsert', 'llen', 'lmove', 'lmpop', 'lpop', 'lpos', 'lpush', 'lpushx', 'lrange', 'lrem', 'lset'],
  ...['ltrim', 'rpop', 'rpoplpush', 'rpush', 'rpushx'],
  ...['sadd', 'scard', 'sdiff', 'sdiffstore', 'sinter', 'sintercard', 'sinterstore', 'sismember', 'smembers'],
  ...['smismember', 'smove', 'spop', 'srandmember', 'srem', 'sscan', 'sunion', 'sunionstore'],
  ...['zadd', 'zcard', 'zcount', 'zdiff', 'zdiffstore', 'zincrby', 'zinter', 'zintercard', 'zinterstore'],
  ...['zlexcount', 'zmpop', 'zmscore', 'zpopmax', 'zpopmin', 'zrandmember', 'zrange', 'zrangebylex'],
  ...['zrangebyscore', 'zrangestore', 'zrank', 'zrem', 'zremrangebylex', 'zremrangebyrank', 'zremrangebyscore'],
  ...['zrevrange', 'zrevrangebylex', 'zrevrangebyscore', 'zrevrank', 'zscan', 'zscore', 'zunion', 'zunionstore'],
  ...['pfadd', 'pfcount', 'pfmerge', 'bitcount', 'bitfield', 'bitfield_ro', 'bitop', 'bitpos', 'getbit', 'setbit'],
  ...['geoadd', 'geodist', 'geohash', 'geopos', 'geosearch', 'geosearchstore'],
  ...['xack', 'xadd', 'xautoclaim', 'xclaim', 'xdel', 'xlen', 'xpending', 'xrange', 'xrevrange', 'xtrim'],
  ...['ping', 'echo', 'publish', 'dbsize', 'time'],
]

const lowerCase = 0x20
const slots = 4096
/** By hash; a slot that two names share is searched. */
const bySlot: Uint8Array[][] = Array.from({ length: slots }, () => [])
for (const name of names) {
  const bytes = Uint8Array.from(name, (letter) => letter.charCodeAt(0) | lowerCase)
  bySlot[slotOf(bytes, 0, bytes.length)]?.push(bytes)
}

/** Whatever the case of its letters. */
export function isPlain(bytes: Uint8Array, nameAt: number, nameLength: number): boolean {
  const candidates = bySlot[slotOf(bytes, nameAt, nameLength)] as Uint8Array[]
  for (const name of candidates) if (isSame(name, bytes, nameAt, nameLength)) return true
  return false
}

function slotOf(bytes: Uint8Array, from: number, length: number): number {
  let hash = length
  const end = from + Math.min(length, 32)
  for (let at = from; at < end; at++) hash = (hash * 31 + ((bytes[at] as number) | lowerCase)) | 0
  return hash & (slots - 1)
}

function isSame(name: Uint8Array, bytes: Uint8Array, from: number, length: number): boolean {
  if (name.length !== length) return false
  for (let at = 0; at < length; at++) if (name[at] !== ((bytes[from + at] as number) | lowerCase)) return false
  return true
}
