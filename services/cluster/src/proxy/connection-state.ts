// What a client has told its connection, so that the next connection can be told the same.
import type { Awaited } from './expected.ts'
import { encodeCommand } from './resp/request-scanner.ts'

/** A transaction with more than this queued is not carried over: its EXEC fails, and the client begins again. */
const maxTransactionBytes = 1024 * 1024

type Verb = 'subscribe' | 'psubscribe' | 'ssubscribe'
const verbs: readonly Verb[] = ['subscribe', 'psubscribe', 'ssubscribe']

export class ConnectionState {
  /** HELLO, AUTH, SELECT, CLIENT …: the last of each, in the order they were given. */
  readonly #remembered = new Map<string, Buffer>()
  readonly #subscriptions: Record<Verb, Set<string>> = {
    subscribe: new Set(),
    psubscribe: new Set(),
    ssubscribe: new Set(),
  }
  #transaction: Buffer[] | undefined
  #transactionBytes = 0
  #queued = 0
  #rememberedInTransaction: [string, Buffer][] = []
  /** Who looks at which of the replies to EXEC. */
  #judges = new Map<number, Awaited['judge']>()
  isWatching = false
  /** Keys were watched on a connection that is gone: whether they have changed since is not known. */
  isWatchBroken = false
  isMonitoring = false
  /** What it is told goes to another client, by a number that only this shard knows. */
  isRedirected = false
  protocol: 2 | 3 = 2

  get isInTransaction(): boolean {
    return this.#transaction !== undefined
  }

  get isSubscribed(): boolean {
    return verbs.some((verb) => this.#subscriptions[verb].size > 0)
  }

  /** Both are refused to whoever has not given a password where there is one. */
  get isIdentified(): boolean {
    return this.#remembered.has('auth') || this.#remembered.has('hello')
  }

  get isTracking(): boolean {
    return this.#remembered.has('client tracking')
  }

  remember(name: string, command: Buffer): void {
    this.#remembered.delete(name)
    this.#remembered.set(name, command)
  }

  forget(name: string): void {
    this.#remembered.delete(name)
  }

  /** Holds once the transaction is executed. */
  rememberAtExecution(name: string, command: Buffer): void {
    this.#rememberedInTransaction.push([name, command])
  }

  get judges(): ReadonlyMap<number, Awaited['judge']> {
    return this.#judges
  }

  /** Of the command that is queued next. */
  judgeAtExecution(judge: Awaited['judge']): void {
    this.#judges.set(this.#queued, judge)
  }

  begin(): void {
    this.#transaction ??= []
  }

  /** Undefined: what nobody has kept. */
  queue(commands: readonly Buffer[] | undefined, bytes: number, count: number): void {
    if (this.#transaction === undefined) return
    this.#transactionBytes += commands === undefined ? maxTransactionBytes + 1 : bytes
    this.#queued += count
    if (commands === undefined || this.#transactionBytes > maxTransactionBytes) return
    this.#transaction.push(...commands.map((each) => Buffer.from(each)))
  }

  /** Returns what holds from now on if the transaction was executed. */
  end(): (() => void) | undefined {
    const held = this.#rememberedInTransaction
    this.#rememberedInTransaction = []
    this.#judges = new Map()
    this.#transaction = undefined
    this.#transactionBytes = 0
    this.#queued = 0
    this.unwatch()
    if (held.length === 0) return undefined
    return () => {
      for (const [name, command] of held) this.remember(name, command)
    }
  }

  unwatch(): void {
    this.isWatching = false
    this.isWatchBroken = false
  }

  /** How many confirmations will come. */
  subscribe(verb: string, channels: readonly string[]): number {
    const known = this.#subscriptions[verb as Verb]
    for (const channel of channels) known.add(channel)
    return channels.length
  }

  /** Without names: from all. One confirmation comes even when there was none. */
  unsubscribe(verb: string, channels: readonly string[]): number {
    const known = this.#subscriptions[verb.replace('un', '') as Verb]
    const left = channels.length > 0 ? channels : [...known]
    for (const channel of left) known.delete(channel)
    return Math.max(1, left.length)
  }

  reset(): void {
    this.#remembered.clear()
    for (const verb of verbs) this.#subscriptions[verb].clear()
    this.end()
    this.isMonitoring = false
    this.isRedirected = false
    this.protocol = 2
  }

  /**
   * What to send first on a new connection, and how many frames answer it; the first of them must be no errors.
   * `then` follows on those, before the connection can be one on which it would not be answered.
   */
  restoring(then: readonly Buffer[] = []): { commands: Buffer; replies: number; mustSucceed: number } {
    const commands = [...this.#remembered.values()]
    const mustSucceed = commands.length
    commands.push(...then)
    let replies = commands.length
    for (const verb of verbs) {
      const channels = [...this.#subscriptions[verb]]
      if (channels.length === 0) continue
      commands.push(encodeCommand([verb, ...channels.map((channel) => Buffer.from(channel, 'latin1'))]))
      replies += channels.length
    }
    if (this.isMonitoring) {
      commands.push(encodeCommand(['monitor']))
      replies++
    }
    if (this.isWatching) this.isWatchBroken = true
    if (this.#transaction !== undefined) {
      const isWhole = this.#transactionBytes <= maxTransactionBytes
      const queued = isWhole ? this.#transaction : [encodeCommand(['atoll.transaction.too.large'])]
      commands.push(encodeCommand(['multi']), ...queued)
      replies += 1 + (isWhole ? this.#queued : 1)
    }
    return { commands: Buffer.concat(commands), replies, mustSucceed }
  }
}
