// CLIENT and what tells about clients: the shard knows connections, the endpoint knows who is behind them.
import { killingOf } from './client-kill.ts'
import { type ClientDirectory, clientLines, infoFor, type ListedClient } from './clients.ts'
import type { ConnectionState } from './connection-state.ts'
import type { Awaited, Expected } from './expected.ts'
import { isError } from './resp/replies.ts'
import { argumentsOf, encodeCommand } from './resp/request-scanner.ts'

interface Options {
  state: ConnectionState
  expected: Expected
  directory: ClientDirectory
  self: ListedClient
  pass(command: Buffer, count: number): void
  /** With somebody who looks at its reply. */
  ask(command: Buffer, judge: Awaited['judge']): void
  /** Kept for the next connection when the shard has taken it. */
  remember(name: string, command: Buffer): void
  /** Nothing follows on this one. */
  over(): void
}

/** Clients try whether the server has it when they connect; few servers do. */
const tried = 'maint_notifications'
/** What of CLIENT belongs to the connection. */
const kept = new Set(['setname', 'no-evict', 'no-touch'])
/** What is put right also inside a transaction. */
const toldInTransaction = new Set(['id', 'info', 'list', 'getredir', 'tracking', 'trackinginfo', 'unblock'])
/** What clients say before anything else, and many say the same. */
const greetings = new Set(['setname', 'setinfo', tried])
/** A number that no connection of a shard ever has. */
const nobody = '9223372036854775806'
const ping = encodeCommand(['ping'])
const allClients = encodeCommand(['client', 'list'])
const isNumber = (word: string): boolean => /^\d+$/.test(word)
const integer = (value: number): Buffer => Buffer.from(`:${value}\r\n`)

export class ClientCommands {
  readonly #options: Options
  /** It has asked for more than what many say at their beginning: no other connection is like it. */
  isOwn = false
  /** Whom invalidations go to, by both of its numbers. */
  #redirect: { id: string; shardId: string } | undefined

  constructor(options: Options) {
    this.#options = options
  }

  run(command: Buffer): void {
    const { state, pass } = this.#options
    const words = argumentsOf(command).map((word) => word.toString('latin1'))
    const [, verb = '', ...rest] = words
    const name = verb.toLowerCase()
    if (!greetings.has(name)) this.isOwn = true
    const own = this.#verbs[name]
    if (state.isInTransaction && !toldInTransaction.has(name)) {
      if (kept.has(name)) state.rememberAtExecution(`client ${name}`, Buffer.from(command))
      pass(command, 1)
    } else if (own !== undefined) own(Buffer.from(command), rest)
    else if (kept.has(name)) this.#options.remember(`client ${name}`, Buffer.from(command))
    else pass(command, 1)
  }

  info(command: Buffer): void {
    this.isOwn = true
    this.#options.ask(command, (reply) => infoFor(this.#options.directory, reply))
  }

  readonly #verbs: Record<string, (command: Buffer, words: string[]) => void> = {
    setinfo: (command, [which = '']) => this.#options.remember(`client setinfo ${which.toLowerCase()}`, command),
    [tried]: (command) =>
      this.#options.ask(command, (reply) => {
        this.isOwn ||= !isError(reply)
        return 'pass'
      }),
    id: (command) => this.#options.ask(command, (reply) => (isError(reply) ? 'pass' : integer(this.#options.self.id))),
    info: (command) => {
      const { directory, self } = this.#options
      this.#options.ask(command, (reply) => clientLines(reply, directory.all(), (client) => client === self))
    },
    list: (command, words) => this.#list(command, words),
    kill: (command, words) => this.#kill(command, words),
    unblock: (command, [id = '', ...rest]) => {
      if (!isNumber(id)) this.#options.pass(command, 1)
      else this.#options.pass(encodeCommand(['client', 'unblock', this.#shardId(id), ...rest]), 1)
    },
    tracking: (command, words) => this.#track(command, words),
    getredir: (command) => this.#options.ask(command, (reply) => this.#redirected(reply, /^(:)(\d+)/)),
    trackinginfo: (command) =>
      this.#options.ask(command, (reply) => this.#redirected(reply, /(\$8\r\nredirect\r\n:)(\d+)/)),
    reply: (command, words) => this.#reply(command, words),
  }

  /** In its turn, unless the shard has something against the client. */
  #answer(reply: string): void {
    this.#options.ask(ping, (pong) => (isError(pong) ? 'pass' : Buffer.from(reply)))
  }

  #list(command: Buffer, [filter = '', ...words]: string[]): void {
    const { directory } = this.#options
    const isIds = filter.toLowerCase() === 'id' && words.length > 0 && words.every(isNumber)
    const ids = new Set(words.map(Number))
    const isShown = ({ id }: ListedClient) => !isIds || ids.has(id)
    this.#options.ask(isIds ? allClients : command, (reply) => clientLines(reply, directory.all(), isShown))
  }

  #kill(command: Buffer, words: string[]): void {
    const { directory, self, over, pass } = this.#options
    if (words.length === 0) {
      pass(command, 1)
      return
    }
    const { clients, reply } = killingOf(words, self, directory.all())
    this.#answer(reply)
    if (clients.includes(self)) over()
    for (const client of clients) if (client !== self) client.close()
  }

  #track(command: Buffer, words: string[]): void {
    const { state } = this.#options
    const at = words.findIndex((word) => word.toLowerCase() === 'redirect') + 1
    const id = at > 0 ? (words[at] ?? '') : ''
    const redirect = isNumber(id) ? { id, shardId: this.#shardId(id) } : undefined
    const translated = words.map((word, index) => (index === at && redirect ? redirect.shardId : word))
    const latin = translated.map((word) => Buffer.from(word, 'latin1'))
    const sent = redirect === undefined ? command : encodeCommand(['client', 'tracking', ...latin])
    this.#options.ask(sent, (reply) => {
      if (isError(reply)) return 'pass'
      this.#redirect = redirect
      state.isRedirected = redirect !== undefined
      if (words[0]?.toLowerCase() === 'off') state.forget('client tracking')
      else state.remember('client tracking', sent)
      return 'pass'
    })
  }

  /** The replies come from the shard as ever, and stop here. */
  #reply(command: Buffer, [how = '', ...rest]: string[]): void {
    const { expected, pass } = this.#options
    const mode = how.toLowerCase()
    if (rest.length > 0 || how === '') pass(command, 1)
    else if (mode === 'on') {
      expected.muted = 'none'
      this.#answer('+OK\r\n')
    } else if (mode === 'off') expected.muted = 'all'
    else if (mode === 'skip') {
      if (expected.muted === 'none') expected.muted = 'next'
    } else this.#answer('-ERR syntax error\r\n')
  }

  /** Where invalidations go, by the endpoint's number: also when that client has left. */
  #redirected(reply: Buffer, number: RegExp): Buffer {
    const { id, shardId } = this.#redirect ?? {}
    const text = reply.toString('latin1')
    const changed = text.replace(number, (whole, before: string, to: string) =>
      to === shardId ? `${before}${id}` : whole,
    )
    return Buffer.from(changed, 'latin1')
  }

  #shardId(id: string): string {
    const client = this.#options.directory.all().find((each) => String(each.id) === id)
    return String(client?.ownShardId ?? nobody)
  }
}
