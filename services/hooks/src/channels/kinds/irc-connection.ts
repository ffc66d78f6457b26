// A registered connection to an IRC server, in lines.
import { EventEmitter } from 'node:events'
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { NotSent } from '../channel.ts'
import type { SettingsOf } from '../config.ts'
import { type IrcLine, parseLine } from './irc-line.ts'

const registerWithinMs = 30_000
const maxLineBytes = 16 * 1024
const nickInUse = '433'
const endsWithoutLuck = ['464', '465', '904', '905', '432']

export class IrcConnection extends EventEmitter<{ line: [IrcLine]; close: [] }> {
  readonly #socket: Socket
  readonly #settings: SettingsOf<'irc'>
  readonly joined = new Set<string>()
  #nick: string
  #rest = ''

  private constructor(socket: Socket, settings: SettingsOf<'irc'>) {
    super()
    this.#socket = socket
    this.#settings = settings
    this.#nick = settings.nick
    socket.setEncoding('utf8').setNoDelay()
    socket.on('data', (text) => this.#read(String(text)))
    socket.on('error', () => undefined)
    socket.once('close', () => this.emit('close'))
  }

  static async open(settings: SettingsOf<'irc'>, address: string): Promise<IrcConnection> {
    const where = { host: address, port: settings.port }
    const socket = settings.tls ? connectTls({ ...where, servername: settings.host }) : connectPlain(where)
    const connection = new IrcConnection(socket, settings)
    try {
      await connection.#register()
      return connection
    } catch (error) {
      socket.destroy()
      throw error
    }
  }

  /** One line; whatever could end it early is taken out. */
  write(...words: string[]): void {
    const last = words.length - 1
    const line = words.map((word, index) => (index === last && index > 0 ? `:${word}` : word)).join(' ')
    this.#socket.write(`${line.replaceAll(/[\r\n\0]/g, ' ')}\r\n`)
  }

  /** The first line that `wanted` takes. */
  next(wanted: (line: IrcLine) => boolean, timeoutMs: number, signal?: AbortSignal): Promise<IrcLine> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer)
        this.off('line', see).off('close', gone)
        signal?.removeEventListener('abort', stopped)
        settle()
      }
      const fail = (words: string) => end(() => reject(new NotSent(words, { uncertain: true })))
      const see = (line: IrcLine) => wanted(line) && end(() => resolve(line))
      const gone = () => fail('The IRC server closed the connection.')
      const stopped = () => fail('Stopped while the IRC server was asked.')
      const timer = setTimeout(() => fail('The IRC server did not answer in time.'), timeoutMs)
      this.on('line', see).once('close', gone)
      signal?.addEventListener('abort', stopped)
    })
  }

  end(): void {
    this.write('QUIT', 'Bye')
    this.#socket.end()
    setTimeout(() => this.#socket.destroy(), 1_000).unref()
  }

  async #register(): Promise<void> {
    const { password, sasl } = this.#settings
    const welcome = this.next(({ command }) => command === '001' || endsWithoutLuck.includes(command), registerWithinMs)
    if (sasl !== undefined) this.write('CAP', 'REQ', 'sasl')
    if (password !== undefined) this.write('PASS', password)
    this.write('NICK', this.#nick)
    this.#socket.write(`USER ${this.#nick} 0 * :Atoll\r\n`)
    const { command, words } = await welcome
    if (command === '001') return
    throw new NotSent(`The IRC server did not let us in: ${words.at(-1) ?? command}`, { forGood: true })
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    if (this.#rest.length > maxLineBytes) this.#socket.destroy()
    for (const line of lines) this.#hear(parseLine(line.trimEnd()))
  }

  #hear(line: IrcLine): void {
    const { command, words } = line
    if (command === 'PING') this.write('PONG', words.at(-1) ?? '')
    else if (command === 'KICK' && words[0] !== undefined) this.joined.delete(words[0].toLowerCase())
    else if (command === nickInUse) this.#tryOtherNick()
    else if (command === 'CAP' || command === 'AUTHENTICATE' || command === '903') this.#authenticate(line)
    this.emit('line', line)
  }

  #tryOtherNick(): void {
    this.#nick = `${this.#nick.slice(0, 28)}_`
    this.write('NICK', this.#nick)
  }

  #authenticate({ command, words }: IrcLine): void {
    const { sasl } = this.#settings
    if (sasl === undefined) return
    if (command === 'CAP' && words[1] === 'ACK') this.write('AUTHENTICATE', 'PLAIN')
    else if (command === 'CAP' && words[1] === 'NAK') this.#socket.destroy()
    else if (command === 'AUTHENTICATE') {
      const proof = Buffer.from(`\0${sasl.account}\0${sasl.password}`).toString('base64')
      this.#socket.write(`AUTHENTICATE ${proof}\r\n`)
    } else if (command === '903') this.write('CAP', 'END')
  }
}
