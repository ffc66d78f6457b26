// IRC. Nothing there acknowledges a message, so each is followed by a PING: what the server had to say against the
// message comes before the PONG.
import { type Channel, NotSent } from '../channel.ts'
import type { SettingsOf } from '../config.ts'
import type { FindAddress } from '../net/find-address.ts'
import { splitText } from '../split-text.ts'
import { IrcConnection } from './irc-connection.ts'
import type { IrcLine } from './irc-line.ts'
import { KeptConnection } from './kept-connection.ts'

const maxLineBytes = 400
const answerWithinMs = 15_000
/** Servers end connections that say more than about a line in two seconds for long. */
const linesAtOnce = 4
const pauseMs = 2_000
const refusals = ['401', '402', '403', '404', '407', '411', '412', '413', '442', '471', '473', '474', '475', '477']

export function ircChannel(settings: SettingsOf<'irc'>, findAddress: FindAddress): Channel {
  const connection = new KeptConnection<IrcConnection>({
    async open(lost) {
      const irc = await IrcConnection.open(settings, await findAddress(settings.host))
      irc.once('close', lost)
      return irc
    },
    close: (irc) => irc.end(),
  })
  let spoken = 0
  let last: Promise<unknown> = Promise.resolve()
  const speak = async ({ to, text, id }: Parameters<Channel['send']>[0], signal: AbortSignal): Promise<void> => {
    if (++spoken > linesAtOnce) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    setTimeout(() => (spoken -= 1), pauseMs * linesAtOnce).unref()
    await connection
      .use(async (irc) => {
        await join(irc, to)
        await say(irc, to, text, id, signal)
      })
      .catch((error: unknown) => {
        throw error instanceof NotSent
          ? error
          : new NotSent(`The IRC server is away: ${reasonOf(error)}`, { cause: error })
      })
  }
  return {
    kind: 'irc',
    deduplicates: false,
    problemOf: (to) =>
      /^[^\s,:\p{Cc}]{1,64}$/u.test(to) ? undefined : 'an IRC recipient is a #channel or a nick name',
    split: (text) => text.split(/\r?\n/).flatMap((line) => splitText(line, maxLineBytes, 'bytes')),
    send(part, signal) {
      const mine = last.then(() => speak(part, signal))
      last = mine.catch(() => undefined)
      return mine
    },
    close: () => connection.close(),
  }
}

async function join(irc: IrcConnection, to: string): Promise<void> {
  const channel = to.toLowerCase()
  if (!/^[#&]/.test(to) || irc.joined.has(channel)) return
  const isAnswer = ({ command, words }: IrcLine): boolean =>
    (command === '366' || refusals.includes(command)) && words.some((word) => word.toLowerCase() === channel)
  const answered = irc.next(isAnswer, answerWithinMs)
  irc.write('JOIN', to)
  const { command, words } = await answered.catch((cause: unknown) => {
    throw new NotSent(`${to} could not be joined.`, { cause })
  })
  if (command !== '366') throw new NotSent(`${to} could not be joined: ${words.at(-1)}`, { forGood: true })
  irc.joined.add(channel)
}

async function say(irc: IrcConnection, to: string, text: string, id: string, signal: AbortSignal): Promise<void> {
  const isAnswer = ({ command, words }: IrcLine): boolean =>
    (command === 'PONG' && words.at(-1) === id) || (refusals.includes(command) && words.includes(to))
  const answered = irc.next(isAnswer, answerWithinMs, signal)
  irc.write('PRIVMSG', to, text)
  irc.write('PING', id)
  const { command, words } = await answered
  if (command !== 'PONG') throw new NotSent(`The IRC server refused it: ${words.at(-1)}`, { forGood: true })
}

const reasonOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)
