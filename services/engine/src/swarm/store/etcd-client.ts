// etcd's JSON interface: transactions, ranges and a watch. Keys and values travel in base64.
import { createInterface } from 'node:readline'
import { EtcdConnection, type EtcdPlace } from './etcd-connection.ts'

export interface KeyValue {
  key: string
  value: string
  /** The revision of its last change. */
  revision: number
}

/** `lease`: it goes when the lease ends. */
export type Put = { key: string; value: string; lease?: string }
/** `revision` 0: the key must not be there. */
export type Condition = { key: string; revision: number }

export interface Transaction {
  conditions: readonly Condition[]
  puts: readonly Put[]
  deletes: readonly string[]
}

export type WatchEvent = { type: 'put'; entry: KeyValue } | { type: 'delete'; key: string; revision: number }

/** One etcd of several. */
export interface Member {
  id: string
  /** Empty: it has never been there. */
  name: string
  peerUrls: string[]
  isLearner: boolean
}

export interface Watch {
  /** It ends, as if it had ended by itself. */
  renew(): void
  close(): void
}

interface WatchListener {
  /** All that one revision, or several, changed; never none. */
  events(events: readonly WatchEvent[]): void
  /** It is over; `isCompacted`: what was asked for is no longer kept. */
  ended(isCompacted: boolean): void
}

interface WireKeyValue {
  key: string
  value?: string
  mod_revision: string
}

const encode = (text: string): string => Buffer.from(text).toString('base64')
const decode = (text: string): string => Buffer.from(text, 'base64').toString()

export class EtcdClient {
  readonly #connection: EtcdConnection
  /** Before every key, where others have keys there as well. */
  readonly #prefix: string

  constructor(place: EtcdPlace, prefix = '') {
    this.#connection = new EtcdConnection(place)
    this.#prefix = prefix
  }

  /** It answers, there is a leader, and it is more than a learner. */
  async isReady(): Promise<boolean> {
    try {
      const { leader, isLearner } = await this.#connection.askOnce<Status>('/v3/maintenance/status', {})
      return leader !== undefined && leader !== '0' && isLearner !== true
    } catch {
      return false
    }
  }

  /** Why it is not ready. */
  async problem(): Promise<string> {
    return this.#connection.askOnce('/v3/maintenance/status', {}).then(
      () => 'it has no leader',
      (error: Error) => error.message,
    )
  }

  /** Whether one transaction may have so many of them. */
  async takesSteps(count: number): Promise<boolean> {
    const compare = { key: this.#key(''), target: 'MOD', result: 'EQUAL', mod_revision: '0' }
    const body = { compare: Array.from({ length: count }, () => compare) }
    return this.#connection.askOnce('/v3/kv/txn', body).then(
      () => true,
      (error: Error) => {
        if (/too many operations/.test(error.message)) return false
        throw error
      },
    )
  }

  #key(key: string): string {
    return encode(this.#prefix + key)
  }

  /** The first key that no longer begins with the prefix. */
  #end(prefix: string): string {
    return encode(endOf(this.#prefix + prefix))
  }

  /** Everything below a prefix, and the revision at which it was so. */
  async range(prefix: string): Promise<{ entries: KeyValue[]; revision: number }> {
    const body = { key: this.#key(prefix), range_end: this.#end(prefix) }
    const { kvs = [], header } = await this.#connection.read<WireRange>('/v3/kv/range', body)
    return { entries: kvs.map((wire) => this.#entry(wire)), revision: Number(header.revision) }
  }

  async removeAll(prefix: string): Promise<void> {
    const body = { key: this.#key(prefix), range_end: this.#end(prefix) }
    await this.#connection.write('/v3/kv/deleterange', body, true)
  }

  /** The revision afterwards. Not done: a condition did not hold, and nothing was changed. */
  async commit({ conditions, puts, deletes }: Transaction): Promise<{ isDone: boolean; revision: number }> {
    const body = {
      compare: conditions.map(({ key, revision }) => ({
        ...{ key: this.#key(key), target: 'MOD', result: 'EQUAL', mod_revision: String(revision) },
      })),
      success: [
        ...puts.map(({ key, value, lease }) => ({
          request_put: { key: this.#key(key), value: encode(value), ...(lease === undefined ? {} : { lease }) },
        })),
        ...deletes.map((key) => ({ request_delete_range: { key: this.#key(key) } })),
      ],
    }
    type Committed = { succeeded?: boolean; header: { revision: string } }
    // What it compares is another once it was carried out: nothing is done twice.
    const isSafeAgain = conditions.length > 0
    const { answer, isRepeated } = await this.#connection.write<Committed>('/v3/kv/txn', body, isSafeAgain)
    const isDone = answer.succeeded === true || (isRepeated && (await this.#isThere(puts)))
    return { isDone, revision: Number(answer.header.revision) }
  }

  /** What an attempt wrote of which nobody heard: its conditions do not hold a second time. */
  async #isThere(puts: readonly Put[]): Promise<boolean> {
    const [first] = puts
    if (first === undefined) return false
    const { kvs = [] } = await this.#connection.read<WireRange>('/v3/kv/range', { key: this.#key(first.key) })
    return kvs.some(({ value = '' }) => decode(value) === first.value)
  }

  /** Its id. */
  async grantLease(seconds: number): Promise<string> {
    // One that nobody heard of ends by itself.
    return (await this.#connection.write<{ ID: string }>('/v3/lease/grant', { TTL: String(seconds) }, true)).answer.ID
  }

  /** False: it has ended. `ms`: an answer after that is of no use. */
  async keepAlive(lease: string, ms: number): Promise<boolean> {
    const { result } = await this.#connection.askOnce<WireKept>('/v3/lease/keepalive', { ID: lease }, ms)
    return Number(result?.TTL ?? 0) > 0
  }

  async revokeLease(lease: string): Promise<void> {
    await this.#connection.write('/v3/lease/revoke', { ID: lease })
  }

  /** Its own id, and all that there are. */
  async members(): Promise<{ own: string; members: Member[] }> {
    const { header, members = [] } = await this.#connection.read<WireMembers>('/v3/cluster/member/list', {})
    return { own: header.member_id, members: members.map(memberOf) }
  }

  /** All that there are then. */
  async addLearner(peerUrl: string): Promise<Member[]> {
    const body = { peerURLs: [peerUrl], isLearner: true }
    const { answer } = await this.#connection.write<WireMembers>('/v3/cluster/member/add', body)
    return (answer.members ?? []).map(memberOf)
  }

  async promoteMember(id: string): Promise<void> {
    await this.#connection.write('/v3/cluster/member/promote', { ID: id })
  }

  async removeMember(id: string): Promise<void> {
    await this.#connection.write('/v3/cluster/member/remove', { ID: id })
  }

  async moveMember(id: string, peerUrl: string): Promise<void> {
    await this.#connection.write('/v3/cluster/member/update', { ID: id, peerURLs: [peerUrl] })
  }

  /** What changes below a prefix from a revision on. */
  watch(prefix: string, from: number, listener: WatchListener): Watch {
    const range = { key: this.#key(prefix), range_end: this.#end(prefix), start_revision: String(from) }
    let isCompacted = false
    let isOver = false
    const sent = this.#connection.stream('/v3/watch', { create_request: range })
    const end = () => {
      if (isOver) return
      isOver = true
      sent.destroy()
      listener.ended(isCompacted)
    }
    sent.on('error', end)
    sent.once('response', (response) => {
      const lines = createInterface({ input: response })
      response.on('error', end)
      lines.on('error', end)
      lines.once('close', end)
      lines.on('line', (line) => {
        const result = readWatch(line)
        if (isOver || result === undefined) return
        if (result.compact_revision !== undefined) isCompacted = true
        if (result.canceled === true) return end()
        if (result.events?.length) listener.events(result.events.map((wire) => this.#event(wire)))
      })
    })
    return {
      renew: end,
      close() {
        isOver = true
        sent.destroy()
      },
    }
  }

  close(): void {
    this.#connection.close()
  }

  #entry({ key, value = '', mod_revision }: WireKeyValue): KeyValue {
    return { key: this.#read(key), value: decode(value), revision: Number(mod_revision) }
  }

  #event({ type, kv }: { type?: 'DELETE'; kv: WireKeyValue }): WatchEvent {
    if (type !== 'DELETE') return { type: 'put', entry: this.#entry(kv) }
    return { type: 'delete', key: this.#read(kv.key), revision: Number(kv.mod_revision) }
  }

  #read(key: string): string {
    return decode(key).slice(this.#prefix.length)
  }
}

interface Status {
  leader?: string
  isLearner?: boolean
}

interface WireMembers {
  header: { member_id: string }
  members?: { ID: string; name?: string; peerURLs?: string[]; isLearner?: boolean }[]
}

const memberOf = ({
  ID,
  name = '',
  peerURLs = [],
  isLearner = false,
}: NonNullable<WireMembers['members']>[number]) => ({
  ...{ id: ID, name, peerUrls: peerURLs, isLearner },
})

interface WireRange {
  kvs?: WireKeyValue[]
  header: { revision: string }
}

interface WireKept {
  result?: { TTL?: string }
}

interface WireWatch {
  events?: { type?: 'DELETE'; kv: WireKeyValue }[]
  canceled?: boolean
  compact_revision?: string
}

/** Undefined: etcd ended in the midst of a word, or tells that it ends. */
function readWatch(line: string): WireWatch | undefined {
  try {
    return (JSON.parse(line) as { result?: WireWatch }).result
  } catch {
    return undefined
  }
}

function endOf(prefix: string): string {
  const last = prefix.length - 1
  return prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1)
}
