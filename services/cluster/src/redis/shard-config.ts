// What one shard is, and the configuration file that makes a server be it.
import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import type { AofPolicy, EvictionPolicy } from '../resources/bdbs/schema.ts'
import type { Engine } from './engines.ts'
import type { ShardUser } from './shard-user.ts'

/** After so many seconds, if there were so many writes. */
export interface SnapshotRule {
  secs: number
  writes: number
}

/** What can change while the shard runs. */
export interface ShardSettings {
  persistence: 'disabled' | 'aof' | 'snapshot'
  aofPolicy: AofPolicy
  snapshotPolicy: readonly SnapshotRule[]
  /** 0: as much as there is. */
  memoryBytes: number
  evictionPolicy: EvictionPolicy
  /** Of the password of the database's clients. Absent: they need none. */
  passwordSha256?: string
}

export interface ModuleFile {
  file: string
  args: readonly string[]
}

export interface ShardSpec extends ShardSettings {
  uid: string
  bdbUid: number
  /** Of its own: all in it is the shard's. */
  folder: string
  engine: Engine
  /** Absent: the one that Atoll runs as. */
  user?: ShardUser
  /** On the loopback address, for replication. */
  port: number
  modules: readonly ModuleFile[]
  /** Of the user `atoll`: all shards of a database have the same. */
  adminPassword: string
  replicaOf?: { host: string; port: number }
}

export const adminUser = 'atoll'
export const shardHost = '127.0.0.1'
const socketName = 'shard.sock'
export const socketOf = ({ folder }: Pick<ShardSpec, 'folder'>): string => join(folder, socketName)
/** How a shard names a module: in its own folder, and different for each version. */
export const localModule = (file: string): string => `./${basename(dirname(file))}-${basename(file)}`

const mebibyte = 1024 * 1024
/** What a replica can be behind and still catch up without a copy of everything. It is taken as it is needed. */
const backlogBytes = 64 * mebibyte
const maxClients = 20_000

/** What belongs to the cluster: roles, persistence, users, modules, and what would show their secrets. */
const withheld = [
  ...['replicaof', 'slaveof', 'failover', 'sync', 'psync', 'replconf', 'cluster', 'migrate'],
  ...['shutdown', 'debug', 'config', 'save', 'bgsave', 'bgrewriteaof', 'module', 'acl'],
  ...['client|pause', 'client|unpause', 'client|reply', 'client|kill'], // the endpoint itself does the last two
]
const given = ['module|list', 'acl|whoami']

/** The rules of user `default`, as ACL SETUSER takes them. */
export function clientRules(passwordSha256: string | undefined): string[] {
  const secret = passwordSha256 === undefined ? ['nopass'] : ['resetpass', `#${passwordSha256}`]
  const commands = ['+@all', ...withheld.map((name) => `-${name}`), ...given.map((name) => `+${name}`)]
  return ['on', ...secret, '~*', '&*', ...commands]
}

/** Names and values for CONFIG SET, or lines of the file. */
export function liveSettings(settings: ShardSettings): [string, string][] {
  const { persistence, aofPolicy, snapshotPolicy, memoryBytes, evictionPolicy } = settings
  const rules = persistence === 'snapshot' ? snapshotPolicy.map(({ secs, writes }) => `${secs} ${writes}`) : []
  return [
    ['maxmemory', String(memoryBytes)],
    ['maxmemory-policy', evictionPolicy],
    ['appendfsync', aofPolicy === 'appendfsync-always' ? 'always' : 'everysec'],
    ['appendonly', persistence === 'aof' ? 'yes' : 'no'],
    ['save', rules.join(' ')],
  ]
}

/** All paths are in the folder it works in: its user may see nothing else of Atoll's. */
export function configFile(spec: ShardSpec): string {
  const { port, modules, adminPassword, replicaOf } = spec
  const lines: (readonly string[])[] = [
    ['bind', shardHost],
    ['port', String(port)],
    ['unixsocket', socketName],
    ['unixsocketperm', '700'],
    ['dir', '.'],
    ['daemonize', 'no'],
    ['logfile', ''],
    ['always-show-logo', 'no'],
    ['maxclients', String(maxClients)],
    ['enable-debug-command', 'local'], // DEBUG DIGEST, for user `atoll` alone
    ['enable-module-command', 'no'],
    ['masteruser', adminUser],
    ['masterauth', adminPassword],
    ['repl-diskless-sync', 'yes'],
    ['repl-diskless-sync-delay', '0'],
    ['repl-backlog-size', String(backlogBytes)],
    ...liveSettings(spec).map((setting) => settingLine(setting)),
    ['user', adminUser, 'on', `#${sha256(adminPassword)}`, '~*', '&*', '+@all'],
    ['user', 'default', ...clientRules(spec.passwordSha256)],
    ...modules.map(({ file, args }) => ['loadmodule', localModule(file), ...args]),
    ...(replicaOf === undefined ? [] : [['replicaof', replicaOf.host, String(replicaOf.port)]]),
  ]
  return `${lines.map((words) => words.map(quote).join(' ')).join('\n')}\n`
}

/** In the file the rules of `save` are words of their own. */
function settingLine([name, value]: [string, string]): string[] {
  return name === 'save' && value !== '' ? [name, ...value.split(' ')] : [name, value]
}

/** As the server reads words: anything else than plain letters stands in quotes, its bytes written out. */
function quote(word: string): string {
  if (/^[\w./:@#|~*&+,=-]+$/.test(word) && !word.startsWith('#')) return word
  const bytes = [...Buffer.from(word)].map((byte) => {
    const letter = String.fromCharCode(byte)
    return byte < 0x20 || byte > 0x7e || letter === '"' || letter === '\\'
      ? `\\x${byte.toString(16).padStart(2, '0')}`
      : letter
  })
  return `"${bytes.join('')}"`
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
