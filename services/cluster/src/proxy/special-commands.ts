// Commands that change what a client's connection is, or wait on it: what they mean to the endpoint.
import { ClientCommands } from './client-commands.ts'
import type { ClientDirectory, ListedClient } from './clients.ts'
import type { ConnectionState } from './connection-state.ts'
import type { Awaited, Expected } from './expected.ts'
import type { CommandKind } from './resp/commands.ts'
import { elementsOf, listOf } from './resp/elements.ts'
import { integerOf, isError, isNull, isUnblocked, noReplicas, nullReply } from './resp/replies.ts'
import { argumentsOf, encodeCommand } from './resp/request-scanner.ts'
import type { Trail } from './trail.ts'
import type { Watch } from './watch.ts'

interface Options {
  state: ConnectionState
  expected: Expected
  directory: ClientDirectory
  self: ListedClient
  trail: Trail
  send(bytes: Buffer): void
  /** Like any other command. */
  pass(command: Buffer, count: number): void
  /** Nothing follows on this one. */
  over(): void
}

export class SpecialCommands {
  readonly #options: Options
  readonly #client: ClientCommands
  /** Sent, and may wait for others. */
  #blocking: Buffer | undefined
  /** The shard was asked to stop waiting: an error that says so is not the client's. */
  #isGivingUp = false
  /** What the shard was made to give up, and is asked again. */
  #unblocked: Buffer | undefined
  /** The shard's name for this connection; where it was not told, it is asked when it is needed first. */
  clientId: number | undefined
  #isOwn = false
  /** While it is told all commands of the endpoint. */
  #watch: Watch | undefined

  constructor(options: Options) {
    this.#options = options
    const remember = (name: string, command: Buffer) => this.#remember(name, command)
    const ask = (command: Buffer, judge: Judge) => this.#ask(command, judge)
    this.#client = new ClientCommands({ ...options, remember, ask })
  }

  /** It has done more than to tell its connection who it is: no other connection is like it. */
  get isOwn(): boolean {
    return this.#isOwn || this.#client.isOwn
  }

  needsOwn(): void {
    this.#isOwn = true
  }

  get isBlocked(): boolean {
    return this.#blocking !== undefined
  }

  /** How many of the replies that are awaited belong to the command that waits: they can be asked for again. */
  get repliesOfBlocked(): number {
    if (this.#blocking === undefined) return 0
    return this.clientId === undefined ? 2 : 1
  }

  /** The connection whose command the shard has to give up, where there is one and its name is known. */
  giveUp(): number | undefined {
    if (this.#blocking === undefined || this.clientId === undefined) return undefined
    this.#isGivingUp = true
    return this.clientId
  }

  /** A new connection: it has another name, and nothing waits there. */
  renewed(): void {
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

  /** The client is gone. */
  close(): void {
    this.#endWatch()
  }

  /** One whole command. */
  run(kind: CommandKind, command: Buffer): void {
    const { state } = this.#options
    if (kind !== 'remember' && kind !== 'client') this.#isOwn = true
    if (state.isInTransaction && !endsTransaction.has(kind) && !tellsOfClients.has(kind)) {
      if (kind === 'remember') state.rememberAtExecution(nameOf(command), Buffer.from(command))
      this.#options.pass(command, 1)
    } else this.#specials[kind](command)
  }

  readonly #specials: Record<CommandKind, (command: Buffer) => void> = {
    begin: (command) => {
      const { state } = this.#options
      this.#send(command, (reply) => {
        if (isError(reply)) state.end()
        return 'pass'
      })
      state.begin()
    },
    execute: (command) => this.#execute(command),
    discard: (command) => {
      this.#options.state.end()
      this.#options.pass(command, 1)
    },
    watch: (command) => {
      this.#options.state.isWatching = true
      this.#options.pass(command, 1)
    },
    unwatch: (command) => {
      this.#options.state.unwatch()
      this.#options.pass(command, 1)
    },
    remember: (command) => this.#remember(nameOf(command), Buffer.from(command)),
    client: (command) => this.#client.run(command),
    info: (command) => this.#client.info(command),
    reset: (command) => {
      this.#options.state.reset()
      this.#endWatch()
      this.#options.pass(command, 1)
    },
    quit: (command) => {
      this.#options.over()
      this.#send(command, () => 'pass')
    },
    block: (command) => this.#block(Buffer.from(command)),
    'maybe-block': (command) => {
      const waits = argumentsOf(command).some((word) => word.toString('latin1').toLowerCase() === 'block')
      if (waits) this.#block(Buffer.from(command))
      else this.#options.pass(command, 1)
    },
    'count-replicas': (command) => this.#block(Buffer.from(command)),
    subscribe: (command) => this.#subscribe(command, 'subscribe'),
    unsubscribe: (command) => this.#subscribe(command, 'unsubscribe'),
    monitor: (command) => {
      this.#watch ??= this.#options.trail.watch()
      this.#send(command, (reply) => {
        if (!isError(reply)) this.#options.state.isMonitoring = true
        return 'pass'
      })
    },
    'slow-log': (command) => this.#slowLog(command),
  }

  /** A line of MONITOR, as the client is to see it; undefined when it is not. */
  watched(line: Buffer): Buffer | undefined {
    return this.#watch?.shown(line)
  }

  /** All entries are asked for: some are the cluster's own, and must not count. */
  #slowLog(command: Buffer): void {
    const [, verb = '', count = usualSlowEntries, ...rest] = argumentsOf(command).map((word) => word.toString('latin1'))
    const answers: Record<string, (entries: Buffer[]) => Buffer> = {
      len: (entries) => Buffer.from(`:${entries.length}\r\n`),
      get: (entries) => listOf(count === '-1' ? entries : entries.slice(0, Number(count))),
    }
    const answer = answers[verb.toLowerCase()]
    if (answer === undefined || rest.length > 0 || !/^(-1|\d{1,9})$/.test(count)) this.#options.pass(command, 1)
    else {
      const told = (reply: Buffer) => answer(this.#options.trail.slowEntries(reply))
      this.#ask(allSlowEntries, (reply) => (isError(reply) ? 'pass' : told(reply)))
    }
  }

  #endWatch(): void {
    if (this.#watch !== undefined) this.#options.trail.unwatch(this.#watch)
    this.#watch = undefined
  }

  #send(command: Buffer, judge: Awaited['judge']): void {
    this.#options.expected.add({ kind: 'awaited', judge })
    this.#options.send(command)
  }

  /** Its reply is looked at. Inside a transaction it is a part of that to EXEC. */
  #ask(command: Buffer, judge: Judge): void {
    const { state, pass } = this.#options
    if (!state.isInTransaction) this.#send(command, judge)
    else {
      state.judgeAtExecution(judge)
      pass(command, 1)
    }
  }

  #execute(command: Buffer): void {
    const { state } = this.#options
    const isBroken = state.isInTransaction && state.isWatchBroken
    const { judges } = state
    const applied = state.end()
    if (isBroken) {
      // Whether the watched keys have changed is not known any more: as if they had.
      this.#send(encodeCommand(['discard']), () => nullReply(state.protocol))
    } else if (applied === undefined && judges.size === 0) this.#options.pass(command, 1)
    else {
      this.#send(command, (reply) => {
        if (isError(reply) || isNull(reply)) return 'pass'
        applied?.()
        return judges.size === 0 ? 'pass' : listOf(elementsOf(reply).map((each, at) => judged(each, judges.get(at))))
      })
    }
  }

  #remember(name: string, command: Buffer): void {
    const { state, self } = this.#options
    this.#send(command, (reply) => {
      if (isError(reply)) return 'pass'
      const [, version] = argumentsOf(command)
      if (name !== 'hello') state.remember(name, command)
      else if (version !== undefined) {
        state.protocol = version.toString() === '3' ? 3 : 2
        state.remember(name, command)
      }
      return name === 'hello' ? helloFor(self.id, reply) : 'pass'
    })
    if (this.clientId === undefined && (name === 'auth' || name === 'hello')) this.#askId()
  }

  /** Nothing is sent after it before its reply has come. */
  #block(command: Buffer): void {
    const name = nameOf(command)
    if (this.clientId === undefined) this.#askId()
    this.#blocking = command
    this.#isGivingUp = false
    this.#send(command, (reply) => {
      this.#blocking = undefined
      if (!this.#isGivingUp || !isUnblocked(reply)) return 'pass'
      if (name === 'wait' || name === 'waitaof') return noReplicas(name)
      this.#unblocked = command
      return 'swallow'
    })
  }

  #askId(): void {
    const judge = (reply: Buffer) => {
      if (!isError(reply)) this.clientId = integerOf(reply)
      return 'swallow' as const
    }
    this.#options.expected.addOwn({ kind: 'awaited', judge })
    this.#options.send(encodeCommand(['client', 'id']))
  }

  #subscribe(command: Buffer, kind: 'subscribe' | 'unsubscribe'): void {
    const { state, expected, send } = this.#options
    const [, ...channels] = argumentsOf(command).map((word) => word.toString('latin1'))
    const confirmations = kind === 'subscribe' && channels.length === 0 ? 1 : state[kind](nameOf(command), channels)
    // They come also to a client that has turned replies off.
    for (let left = confirmations; left > 0; left--) expected.addOwn({ kind: 'awaited', judge: () => 'pass' })
    send(command)
  }
}

/** As many as the server tells unless it is told. */
const usualSlowEntries = '10'
const allSlowEntries = encodeCommand(['slowlog', 'get', '-1'])
type Judge = Awaited['judge']
function judged(element: Buffer, judge: Judge | undefined): Buffer {
  const fate = judge?.(element)
  return Buffer.isBuffer(fate) ? fate : element
}

/** What they tell is put right also inside a transaction. */
const tellsOfClients: ReadonlySet<CommandKind> = new Set(['client', 'info', 'slow-log'])
const endsTransaction: ReadonlySet<CommandKind> = new Set(['execute', 'discard', 'reset', 'quit'])
/** It tells the client its number, which is the endpoint's. */
const helloFor = (id: number, reply: Buffer): Buffer =>
  Buffer.from(reply.toString('latin1').replace(/(\$2\r\nid\r\n):\d+/, `$1:${id}`), 'latin1')
const nameOf = (command: Buffer): string =>
  (argumentsOf(command)[0] ?? Buffer.alloc(0)).toString('latin1').toLowerCase()
