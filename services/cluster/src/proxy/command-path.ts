// From the client to the shard: commands pass as they come, but for those that change what the connection is.
import type { ConnectionState } from './connection-state.ts'
import type { Awaited, Expected } from './expected.ts'
import { type CommandKind, kindOf } from './resp/commands.ts'
import { FrameScanner } from './resp/frame-scanner.ts'
import { isPlain } from './resp/plain-commands.ts'
import { integerOf, isError, isNull, isUnblocked, noReplicas, nullReply } from './resp/replies.ts'
import { argumentsOf, encodeCommand, RequestScanner } from './resp/request-scanner.ts'

const star = 42
const zero = 48
/** An ordinary command that needs more bytes than this is not collected before it is sent. */
const maxCollectedBytes = 64 * 1024

interface Options {
  state: ConnectionState
  expected: Expected
  send(bytes: Buffer): void
  mayForward(): boolean
  /** The shard may now be asked to give up waiting for this connection. */
  blocked(): void
}

export class CommandPath {
  readonly #options: Options
  readonly #scanner = new RequestScanner()
  #input: Buffer = Buffer.alloc(0)
  #needed = 0
  /** A long command is on its way. */
  #streaming: FrameScanner | undefined
  /** Sent, and may wait for others. */
  #blocking: Buffer | undefined
  /** The shard was asked to stop waiting: an error that says so is not the client's. */
  #isGivingUp = false
  /** What the shard was made to give up, and is asked again. */
  #unblocked: Buffer | undefined
  /** The shard's name for this connection; asked when it is needed first. */
  #clientId: number | undefined
  /** It has done more than to tell its connection who it is: no other connection is like it. */
  #isOwn = false

  constructor(options: Options) {
    this.#options = options
  }

  get isStreaming(): boolean {
    return this.#streaming !== undefined
  }

  get isBlocked(): boolean {
    return this.#blocking !== undefined
  }

  /** How many of the replies that are awaited belong to the command that waits: they can be asked for again. */
  get repliesOfBlocked(): number {
    if (this.#blocking === undefined) return 0
    return this.#clientId === undefined ? 2 : 1
  }

  /** The connection whose command the shard has to give up, where there is one and its name is known. */
  giveUp(): number | undefined {
    if (this.#blocking === undefined || this.#clientId === undefined) return undefined
    this.#isGivingUp = true
    return this.#clientId
  }

  /** A connection that was told the same could carry what follows, too. */
  mayShare(chunk: Buffer): boolean {
    if (this.#isOwn || this.#input.length > 0 || this.isStreaming || chunk[0] !== star) return false
    try {
      const end = this.#scanner.next(chunk, 0)
      return end > 0 && isPlain(chunk, this.#scanner.nameAt, this.#scanner.nameLength)
    } catch {
      return false
    }
  }

  /** Throws ProtocolError. */
  take(chunk: Buffer): void {
    const rest = this.#streaming === undefined ? chunk : this.#stream(chunk, this.#streaming)
    if (rest.length === 0) return
    this.#input = this.#input.length === 0 ? rest : Buffer.concat([this.#input, rest])
    if (this.#input.length >= this.#needed) this.pump()
  }

  /** Sends what may be sent. */
  pump(): void {
    const { mayForward } = this.#options
    const input = this.#input
    let at = 0
    let runAt = 0
    let count = 0
    while (at < input.length && mayForward()) {
      const end = this.#scanner.next(input, at)
      if (end < 0) {
        this.#pass(input.subarray(runAt, at), count)
        this.#keep(input.subarray(at))
        return
      }
      const { nameAt, nameLength } = this.#scanner
      const kind = isNothing(input, at, nameLength) ? 'nothing' : kindOf(input, nameAt, nameLength)
      if (kind === undefined) {
        this.#isOwn ||= !isPlain(input, nameAt, nameLength)
        count++
        at = end
        continue
      }
      this.#pass(input.subarray(runAt, at), count)
      if (kind !== 'nothing') this.#special(kind, input.subarray(at, end))
      at = end
      runAt = end
      count = 0
    }
    this.#pass(input.subarray(runAt, at), count)
    this.#input = input.subarray(at)
    this.#needed = 0
  }

  /** A new connection: it has another name, and nothing waits there. */
  renewed(): void {
    this.#clientId = undefined
    if (this.#blocking !== undefined) this.#unblocked = this.#blocking
    this.#blocking = undefined
    this.askAgain()
  }

  /** What was given up for a handover goes on waiting. */
  askAgain(): void {
    const command = this.#unblocked
    this.#unblocked = undefined
    if (command !== undefined) this.#block(command)
  }

  #pass(commands: Buffer, count: number): void {
    if (count === 0) return
    const { state, expected, send } = this.#options
    if (state.isInTransaction) state.queue(commands, count)
    expected.addPlain(count)
    send(commands)
  }

  #keep(begun: Buffer): void {
    const { nameLength, nameAt, needed } = this.#scanner
    const isPlain = nameLength > 0 && kindOf(this.#input, nameAt, nameLength) === undefined
    if (needed <= maxCollectedBytes || !isPlain || begun.length < maxCollectedBytes / 2) {
      this.#input = begun
      this.#needed = Math.min(needed, isPlain ? maxCollectedBytes / 2 : needed)
      return
    }
    this.#input = Buffer.alloc(0)
    this.#needed = 0
    this.#streaming = new FrameScanner()
    this.#isOwn = true
    this.#stream(begun, this.#streaming)
  }

  /** Returns what follows the long command. */
  #stream(chunk: Buffer, scanner: FrameScanner): Buffer {
    const { state, expected, send } = this.#options
    const end = scanner.next(chunk, 0)
    const piece = end < 0 ? chunk : chunk.subarray(0, end)
    if (state.isInTransaction) state.queue(piece, end < 0 ? 0 : 1)
    if (end >= 0) {
      this.#streaming = undefined
      expected.addPlain(1)
    }
    send(piece)
    return end < 0 ? Buffer.alloc(0) : chunk.subarray(end)
  }

  #special(kind: CommandKind, command: Buffer): void {
    const { state } = this.#options
    if (kind !== 'remember' && kind !== 'client') this.#isOwn = true
    if (state.isInTransaction && kind !== 'execute' && kind !== 'discard' && kind !== 'reset') {
      if (kind === 'remember') state.rememberAtExecution(nameOf(command), Buffer.from(command))
      this.#pass(command, 1)
    } else this.#specials[kind](command)
  }

  readonly #specials: Record<CommandKind, (command: Buffer) => void> = {
    begin: (command) => {
      this.#pass(command, 1)
      this.#options.state.begin()
    },
    execute: (command) => this.#execute(command),
    discard: (command) => {
      this.#options.state.end()
      this.#pass(command, 1)
    },
    watch: (command) => {
      this.#options.state.isWatching = true
      this.#pass(command, 1)
    },
    unwatch: (command) => {
      this.#options.state.unwatch()
      this.#pass(command, 1)
    },
    remember: (command) => this.#remember(nameOf(command), Buffer.from(command)),
    client: (command) => this.#client(command),
    reset: (command) => {
      this.#options.state.reset()
      this.#pass(command, 1)
    },
    block: (command) => this.#block(Buffer.from(command)),
    'maybe-block': (command) => {
      const waits = argumentsOf(command).some((word) => word.toString('latin1').toLowerCase() === 'block')
      if (waits) this.#block(Buffer.from(command))
      else this.#pass(command, 1)
    },
    'count-replicas': (command) => this.#block(Buffer.from(command)),
    subscribe: (command) => this.#subscribe(command, 'subscribe'),
    unsubscribe: (command) => this.#subscribe(command, 'unsubscribe'),
    monitor: (command) =>
      this.#send(command, (reply) => {
        if (!isError(reply)) this.#options.state.isMonitoring = true
        return 'pass'
      }),
  }

  #send(command: Buffer, judge: Awaited['judge']): void {
    this.#options.expected.add({ kind: 'awaited', judge })
    this.#options.send(command)
  }

  #execute(command: Buffer): void {
    const { state } = this.#options
    const isBroken = state.isInTransaction && state.isWatchBroken
    const applied = state.end()
    if (isBroken) {
      // Whether the watched keys have changed is not known any more: as if they had.
      this.#send(encodeCommand(['discard']), () => nullReply(state.protocol))
    } else if (applied === undefined) this.#pass(command, 1)
    else {
      this.#send(command, (reply) => {
        if (!isError(reply) && !isNull(reply)) applied()
        return 'pass'
      })
    }
  }

  #remember(name: string, command: Buffer): void {
    const { state } = this.#options
    this.#send(command, (reply) => {
      if (isError(reply)) return 'pass'
      const [, version] = argumentsOf(command)
      if (name !== 'hello') state.remember(name, command)
      else if (version !== undefined) {
        state.protocol = version.toString() === '3' ? 3 : 2
        state.remember(name, command)
      }
      return 'pass'
    })
  }

  #client(command: Buffer): void {
    const words = argumentsOf(command).map((word) => word.toString('latin1').toLowerCase())
    const [, verb = '', which = ''] = words
    if (verb === 'setinfo') this.#remember(`client setinfo ${which}`, Buffer.from(command))
    else if (keptOfClient.has(verb)) this.#remember(`client ${verb}`, Buffer.from(command))
    else if (verb === triedOfClient) this.#send(command, (reply) => this.#triedClient(reply))
    else this.#pass(command, 1)
    if (!greetingsOfClient.has(verb)) this.#isOwn = true
  }

  #triedClient(reply: Buffer): 'pass' {
    this.#isOwn ||= !isError(reply)
    return 'pass'
  }

  /** Nothing is sent after it before its reply has come. */
  #block(command: Buffer): void {
    const name = nameOf(command)
    if (this.#clientId === undefined) {
      this.#send(encodeCommand(['client', 'id']), (reply) => {
        this.#clientId = integerOf(reply)
        return 'swallow'
      })
    }
    this.#blocking = command
    this.#isGivingUp = false
    this.#send(command, (reply) => {
      this.#blocking = undefined
      if (!this.#isGivingUp || !isUnblocked(reply)) return 'pass'
      if (name === 'wait' || name === 'waitaof') return noReplicas(name)
      this.#unblocked = command
      return 'swallow'
    })
    this.#options.blocked()
  }

  #subscribe(command: Buffer, kind: 'subscribe' | 'unsubscribe'): void {
    const { state, expected, send } = this.#options
    const [, ...channels] = argumentsOf(command).map((word) => word.toString('latin1'))
    const confirmations = kind === 'subscribe' && channels.length === 0 ? 1 : state[kind](nameOf(command), channels)
    for (let left = confirmations; left > 0; left--) expected.add({ kind: 'awaited', judge: () => 'pass' })
    send(command)
  }
}

/** An empty line, or an array of nothing: no reply comes. A name that is empty is a command, though none that exists. */
const isNothing = (input: Buffer, at: number, nameLength: number): boolean =>
  nameLength === 0 && (input[at] !== star || input[at + 1] === zero)

/** What of CLIENT belongs to the connection. */
const keptOfClient = new Set(['setname', 'tracking', 'no-evict', 'no-touch'])
/** Clients try whether the server has it when they connect; few servers do. */
const triedOfClient = 'maint_notifications'
/** What clients say before anything else, and many say the same. */
const greetingsOfClient = new Set(['setname', 'setinfo', triedOfClient])
const nameOf = (command: Buffer): string =>
  (argumentsOf(command)[0] ?? Buffer.alloc(0)).toString('latin1').toLowerCase()
