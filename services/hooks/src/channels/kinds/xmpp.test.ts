import { lacking } from '@atoll/testkit/lacking'
import { client, type Element, xml } from '@xmpp/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Channel } from '../channel.ts'
import { ChannelsConfig } from '../config.ts'
import { createChannels } from '../create-channels.ts'
import { localOnly } from '../testing/channel-kit.ts'
import { type Server, startXmppServer } from '../testing/servers.ts'

const missing = lacking('prosody')
const never = new AbortController().signal
const domain = 'xmpp.test'

async function listen(port: number, name: string) {
  const heard: { from: string; text: string | null; id: string | undefined }[] = []
  const seen: string[] = []
  const entity = client({
    ...{ service: `xmpp://127.0.0.1:${port}`, domain, resource: 'home' },
    credentials: (authenticate, mechanisms) =>
      authenticate({ username: name, password: `${name}-secret` }, mechanisms[0]),
  })
  entity.on('error', () => undefined)
  entity.on('stanza', (stanza: Element) => {
    if (stanza.is('presence')) seen.push(stanza.attrs.from ?? '')
    const text = stanza.is('message') ? stanza.getChildText('body') : null
    if (text !== null) heard.push({ from: stanza.attrs.from ?? '', text, id: stanza.attrs.id })
  })
  await entity.start()
  await entity.send(xml('presence', {}))
  return { heard, seen, entity }
}

describe.skipIf(missing !== '')(`XMPP${missing && `: this machine lacks ${missing}`}`, () => {
  let server: Server
  let ada: Awaited<ReturnType<typeof listen>>
  const made: Channel[] = []
  const channel = (settings: object = {}): Channel => {
    const xmpp = {
      ...{ host: '127.0.0.1', port: server.port, domain, user: 'gate', password: 'gate-secret', security: 'off' },
      ...{ rooms: [`ops@rooms.${domain}`], ...settings },
    }
    const one = createChannels(ChannelsConfig.parse({ ...localOnly, xmpp })).get('xmpp') as Channel
    made.push(one)
    return one
  }
  beforeAll(async () => {
    server = await startXmppServer(domain, ['gate', 'ada'])
    ada = await listen(server.port, 'ada')
  })
  afterAll(async () => {
    for (const xmpp of made) await xmpp.close()
    await ada?.entity.stop()
    await server?.stop()
  })

  it('reaches a person and a room, with the id of the message (HOOK-055, HOOK-056)', async () => {
    const xmpp = channel()
    await xmpp.send({ to: `ada@${domain}`, text: 'a <b> & "c"', id: 'out_1-0' }, never)
    await expect
      .poll(() => ada.heard, { timeout: 10_000 })
      .toEqual([{ from: `gate@${domain}/atoll`, text: 'a <b> & "c"', id: 'out_1-0' }])
    const room = `ops@rooms.${domain}`
    await ada.entity.send(xml('presence', { to: `${room}/ada` }, xml('x', { xmlns: 'http://jabber.org/protocol/muc' })))
    await expect.poll(() => ada.seen, { timeout: 10_000 }).toContain(`${room}/ada`)
    await xmpp.send({ to: room, text: 'to all', id: 'out_2-0' }, never)
    await expect.poll(() => ada.heard.at(-1)?.text, { timeout: 10_000 }).toBe('to all')
  })

  it('says why a message or an account is refused', async () => {
    const unknown = channel().send({ to: `nobody@${domain}`, text: 'x', id: 'out_3-0' }, never)
    await expect(unknown).rejects.toMatchObject({
      forGood: true,
      message: expect.stringContaining('service-unavailable'),
    })
    const password = 'wrong-secret'
    const refused = await channel({ password })
      .send({ to: `ada@${domain}`, text: 'x', id: 'i' }, never)
      .catch((error: unknown) => error)
    expect(refused).toMatchObject({ name: 'NotSent', forGood: true })
    expect(String(refused)).not.toContain(password)
    const bare = channel({ security: 'starttls' }).send({ to: `ada@${domain}`, text: 'x', id: 'i' }, never)
    await expect(bare).rejects.toThrow(/no encryption/)
  })
})
