// etcd's JSON interface over its socket: transactions, ranges and a watch. Keys and values travel in base64.
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { noSwarmLeader, unavailable } from '../../errors.ts'

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

const answerMs = 15_000
/** How long a write waits for its answer before it is made again. */
const attemptMs = 1_500
/** How long a write waits for a leader, and how often it asks. */
const leaderMs = 5_000
const betweenTriesMs = 100
const maxAnswerBytes = 256 * 1024 * 1024
const encode = (text: string): string => Buffer.from(text).toString('base64')
const decode = (text: string): string => Buffer.from(text, 'base64').toString()

export class EtcdClient {
  readonly #socketPath: () => string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 })

  constructor(socketPath: () => string) {
    this.#socketPath = socketPath
  }

  /** It answers, there is a leader, and it is more than a learner. */
  async isReady(): Promise<boolean> {
    try {
      const { leader, isLearner } = await this.#ask<Status>('/v3/maintenance/status', {})
      return leader !== undefined && leader !== '0' && isLearner !== true
    } catch {
      return false
    }
  }

  /** Everything below a prefix, and the revision at which it was so. */
  async range(prefix: string): Promise<{ entries: KeyValue[]; revision: number }> {
    const body = { key: encode(prefix), range_end: encode(endOf(prefix)) }
    const { kvs = [], header } = await this.#ask<{ kvs?: WireKeyValue[]; header: { revision: string } }>(
      '/v3/kv/range',
      body,
    )
    return { entries: kvs.map(entryOf), revision: Number(header.revision) }
  }

  /** The revision afterwards. Not done: a condition did not hold, and nothing was changed. */
  async commit({ conditions, puts, deletes }: Transaction): Promise<{ isDone: boolean; revision: number }> {
    const body = {
      compare: conditions.map(({ key, revision }) => ({
        ...{ key: encode(key), target: 'MOD', result: 'EQUAL', mod_revision: String(revision) },
      })),
      success: [
        ...puts.map(({ key, value, lease }) => ({
          request_put: { key: encode(key), value: encode(value), ...(lease === undefined ? {} : { lease }) },
        })),
        ...deletes.map((key) => ({ request_delete_range: { key: encode(key) } })),
      ],
    }
    type Committed = { succeeded?: boolean; header: { revision: string } }
    const { answer, isRepeated } = await this.#write<Committed>('/v3/kv/txn', body)
    const isDone = answer.succeeded === true || (isRepeated && (await this.#isThere(puts)))
    return { isDone, revision: Number(answer.header.revision) }
  }

  /** What an attempt wrote of which nobody heard: its conditions do not hold a second time. */
  async #isThere(puts: readonly Put[]): Promise<boolean> {
    const [first] = puts
    if (first === undefined) return false
    const { kvs = [] } = await this.#ask<{ kvs?: WireKeyValue[] }>('/v3/kv/range', { key: encode(first.key) })
    return kvs.some(({ value = '' }) => decode(value) === first.value)
  }

  /** Its id. */
  async grantLease(seconds: number): Promise<string> {
    return (await this.#write<{ ID: string }>('/v3/lease/grant', { TTL: String(seconds) })).answer.ID
  }

  /** False: it has ended. `ms`: an answer after that is of no use. */
  async keepAlive(lease: string, ms: number): Promise<boolean> {
    const { result } = await this.#ask<{ result?: { TTL?: string } }>('/v3/lease/keepalive', { ID: lease }, ms)
    return Number(result?.TTL ?? 0) > 0
  }

  async revokeLease(lease: string): Promise<void> {
    await this.#ask('/v3/lease/revoke', { ID: lease })
  }

  /** Its own id, and all that there are. */
  async members(): Promise<{ own: string; members: Member[] }> {
    const { header, members = [] } = await this.#ask<WireMembers>('/v3/cluster/member/list', {})
    return { own: header.member_id, members: members.map(memberOf) }
  }

  /** All that there are then. */
  async addLearner(peerUrl: string): Promise<Member[]> {
    const { members = [] } = await this.#ask<WireMembers>('/v3/cluster/member/add', {
      ...{ peerURLs: [peerUrl], isLearner: true },
    })
    return members.map(memberOf)
  }

  async promoteMember(id: string): Promise<void> {
    await this.#ask('/v3/cluster/member/promote', { ID: id })
  }

  async removeMember(id: string): Promise<void> {
    await this.#ask('/v3/cluster/member/remove', { ID: id })
  }

  async moveMember(id: string, peerUrl: string): Promise<void> {
    await this.#ask('/v3/cluster/member/update', { ID: id, peerURLs: [peerUrl] })
  }

  /** What changes below a prefix from a revision on. */
  watch(prefix: string, from: number, listener: WatchListener): Watch {
    const range = { key: encode(prefix), range_end: encode(endOf(prefix)), start_revision: String(from) }
    let isCompacted = false
    let isOver = false
    const sent = this.#send('/v3/watch', { create_request: range }, undefined)
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
        const { result } = JSON.parse(line) as { result?: WireWatch }
        if (isOver || result === undefined) return
        if (result.compact_revision !== undefined) isCompacted = true
        if (result.canceled === true) return end()
        if (result.events?.length) listener.events(result.events.map(eventOf))
      })
    })
    return {
      close() {
        isOver = true
        sent.destroy()
      },
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  #send(path: string, body: object, timeout: number | undefined): ClientRequest {
    const data = JSON.stringify(body)
    const sent = request({
      ...{ method: 'POST', path, socketPath: this.#socketPath() },
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(data), host: 'etcd' },
      ...(timeout === undefined ? { agent: false } : { agent: this.#agent, timeout }),
    })
    sent.on('timeout', () => sent.destroy(new Error(unansweredWords)))
    sent.end(data)
    return sent
  }

  /**
   * One that was not taken is asked for again, until there is a leader. So is one that nobody answers: a member that
   * sent it to a leader that has just died would say so after seven seconds.
   */
  async #write<T>(path: string, body: object): Promise<{ answer: T; isRepeated: boolean }> {
    const deadline = Date.now() + leaderMs
    for (let isRepeated = false; ; ) {
      const isLast = Date.now() + attemptMs > deadline
      try {
        return { answer: await this.#exchange<T>(path, body, isLast ? answerMs : attemptMs), isRepeated }
      } catch (error) {
        const isLost = isUnanswered(error as Error)
        if (isLast || !(isLost || isNotTaken(error as Error))) throw problemOf(error as Error)
        isRepeated ||= isLost
        await pause(betweenTriesMs)
      }
    }
  }

  async #ask<T>(path: string, body: object, ms = answerMs): Promise<T> {
    try {
      return await this.#exchange<T>(path, body, ms)
    } catch (error) {
      throw problemOf(error as Error)
    }
  }

  #exchange<T>(path: string, body: object, ms: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const sent = this.#send(path, body, ms)
      sent.once('error', reject)
      sent.once('response', (response) => {
        readAll(response).then((text) => {
          if (response.statusCode === 200) resolve(JSON.parse(text) as T)
          else reject(new Error(text.slice(0, 500)))
        }, reject)
      })
    })
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

const unansweredWords = 'etcd did not answer in time'
/** Nobody knows whether it was taken. */
const isUnanswered = ({ message }: Error): boolean =>
  message === unansweredWords || /leader changed|request timed out|deadline exceeded/.test(message)

/** etcd had no leader to give it to, or is just being started again. */
const isNotTaken = ({ message, code }: NodeJS.ErrnoException): boolean =>
  code === 'ENOENT' || code === 'ECONNREFUSED' || /proposal dropped|no leader/.test(message)

const isLeaderless = ({ message }: Error): boolean =>
  /proposal dropped|no leader|leader changed|etcdserver: request timed out|deadline exceeded|did not answer in time/.test(
    message,
  )

const problemOf = (error: Error): Error =>
  isLeaderless(error) ? noSwarmLeader() : unavailable(`The store of the swarm does not answer: ${error.message}`)

interface WireWatch {
  events?: { type?: 'DELETE'; kv: WireKeyValue }[]
  canceled?: boolean
  compact_revision?: string
}

const entryOf = ({ key, value = '', mod_revision }: WireKeyValue): KeyValue => ({
  key: decode(key),
  value: decode(value),
  revision: Number(mod_revision),
})

function eventOf({ type, kv }: { type?: 'DELETE'; kv: WireKeyValue }): WatchEvent {
  if (type !== 'DELETE') return { type: 'put', entry: entryOf(kv) }
  return { type: 'delete', key: decode(kv.key), revision: Number(kv.mod_revision) }
}

/** The first key that no longer begins with the prefix. */
function endOf(prefix: string): string {
  const last = prefix.length - 1
  return prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1)
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxAnswerBytes) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
