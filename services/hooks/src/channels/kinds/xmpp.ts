// XMPP. A ping to the server follows each message: an error about the message comes before its answer.
import { type Client, client, type Element, xml } from '@xmpp/client'
import { type Channel, NotSent, type Part } from '../channel.ts'
import type { SettingsOf } from '../config.ts'
import type { FindAddress } from '../net/find-address.ts'
import { splitText } from '../split-text.ts'
import { KeptConnection } from './kept-connection.ts'

const connectWithinMs = 20_000
const answerWithinMs = 15_000
const maxCharacters = 30_000
const passing = ['wait', 'continue']

export function xmppChannel(settings: SettingsOf<'xmpp'>, findAddress: FindAddress): Channel {
  const rooms = new Set(settings.rooms.map((room) => room.toLowerCase()))
  const connection = new KeptConnection<Client>({
    async open(lost) {
      const address = await findAddress(settings.host ?? settings.domain)
      const entity = await connect(settings, address)
      entity.once('disconnect', lost)
      for (const room of settings.rooms) await enter(entity, `${room}/${settings.resource}`)
      return entity
    },
    close: (entity) => entity.stop(),
  })
  return {
    kind: 'xmpp',
    deduplicates: true,
    problemOf: (to) =>
      /^[^\s@/\0]{1,200}@[^\s@/\0]{1,200}(\/[^\s\0]{1,200})?$/.test(to)
        ? undefined
        : 'an XMPP recipient looks like name@example.org',
    split: (text) => splitText(text, maxCharacters),
    async send(part, signal) {
      const type = rooms.has(part.to.toLowerCase()) ? 'groupchat' : 'chat'
      try {
        await connection.use((entity) => say(entity, type, part, signal))
      } catch (error) {
        if (error instanceof NotSent) throw error
        throw new NotSent(`The XMPP server is away: ${(error as Error).message}`, { uncertain: true, cause: error })
      }
    },
    close: () => connection.close(),
  }
}

async function connect(settings: SettingsOf<'xmpp'>, address: string): Promise<Client> {
  const { domain, resource, user: username, password, security, port } = settings
  const host = address.includes(':') ? `[${address}]` : address
  const entity: Client = client({
    ...{ service: `xmpp://${host}:${port}`, domain, resource },
    async credentials(authenticate, mechanisms) {
      if (security === 'starttls' && !entity.isSecure()) {
        throw new NotSent('The XMPP server offers no encryption; channels.xmpp.security: off allows that.', {
          forGood: true,
        })
      }
      await authenticate({ username, password }, mechanisms[0])
    },
  })
  entity.reconnect.stop()
  entity.on('error', () => undefined)
  try {
    await within(entity.start(), connectWithinMs, 'The XMPP server did not let us in in time.')
    return entity
  } catch (error) {
    await entity.stop().catch(() => undefined)
    if (error instanceof NotSent) throw error
    const forGood = (error as Error).name === 'SASLError'
    throw new NotSent(`The XMPP server did not let us in: ${(error as Error).message}`, { forGood, cause: error })
  }
}

async function enter(entity: Client, place: string): Promise<void> {
  const presence = xml(
    'presence',
    { to: place },
    xml('x', { xmlns: 'http://jabber.org/protocol/muc' }, historyOfNothing()),
  )
  await entity.send(presence)
}

const historyOfNothing = (): Element => xml('history', { maxstanzas: '0' })

async function say(entity: Client, type: string, { to, text, id }: Part, signal: AbortSignal): Promise<void> {
  let refusal: NotSent | undefined
  const hear = (stanza: Element): void => {
    if (stanza.is('message') && stanza.attrs.type === 'error' && stanza.attrs.id === id) refusal = refusalOf(stanza)
  }
  entity.on('stanza', hear)
  try {
    const origin = xml('origin-id', { xmlns: 'urn:xmpp:sid:0', id })
    await entity.send(xml('message', { type, to, id }, xml('body', {}, text), origin))
    const { domain } = entity.options
    const ping = entity.iqCaller.get(xml('ping', { xmlns: 'urn:xmpp:ping' }), domain, answerWithinMs)
    // A server without pings answers that it has none: an answer all the same.
    await Promise.race([ping.catch(passUnknown), stopOf(signal)])
    if (refusal !== undefined) throw refusal
  } finally {
    entity.off('stanza', hear)
  }
}

function passUnknown(error: Error): void {
  if (error.name !== 'StanzaError') throw error
}

function refusalOf(stanza: Element): NotSent {
  const error = stanza.getChild('error')
  const reason = error?.getChildElements()[0]?.name ?? 'no reason'
  return new NotSent(`The XMPP server refused it: ${reason}`, { forGood: !passing.includes(error?.attrs.type ?? '') })
}

function within<T>(work: Promise<T>, ms: number, words: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NotSent(words)), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

const stopOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new NotSent('Stopped while it was sent.', { uncertain: true })))
  })
