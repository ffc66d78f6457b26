import { lacking } from '@atoll/testkit/lacking'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Channel } from '../channel.ts'
import { ChannelsConfig } from '../config.ts'
import { createChannels } from '../create-channels.ts'
import { localOnly } from '../testing/channel-kit.ts'
import { ircListener, type Listener } from '../testing/heard.ts'
import { type Server, startIrcServer } from '../testing/servers.ts'

const missing = lacking('ngircd')
const never = new AbortController().signal

describe.skipIf(missing !== '')(`IRC${missing && `: this machine lacks ${missing}`}`, () => {
  let server: Server
  let ada: Listener
  const made: Channel[] = []
  const channel = (settings: object = {}): Channel => {
    const config = ChannelsConfig.parse({
      ...localOnly,
      irc: { host: '127.0.0.1', port: server.port, tls: false, nick: 'atoll', ...settings },
    })
    const irc = createChannels(config).get('irc') as Channel
    made.push(irc)
    return irc
  }
  beforeAll(async () => {
    server = await startIrcServer()
    ada = await ircListener(server.port, 'ada', '#ops', '#dev')
  })
  afterAll(async () => {
    for (const irc of made) await irc.close()
    await ada?.close()
    await server?.stop()
  })
  const said = async (irc: Channel, to: string, text: string) => {
    for (const [n, piece] of irc.split(text).entries()) await irc.send({ to, text: piece, id: `out_x-${n}` }, never)
  }

  it('says it in a channel and to a person, line by line (HOOK-055, HOOK-056)', async () => {
    const irc = channel()
    await said(irc, '#ops', 'first line\n\nsecond line')
    await said(irc, 'ada', 'only for you')
    await expect
      .poll(() => ada.heard, { timeout: 10_000 })
      .toEqual(['#ops first line', '#ops second line', 'ada only for you'])
  })

  it('cannot be made to say anything else', async () => {
    const irc = channel()
    const before = ada.heard.length
    await irc.send({ to: '#dev', text: 'x\r\nPRIVMSG #ops :forged\0', id: 'out_y-0' }, never)
    await expect.poll(() => ada.heard.slice(before), { timeout: 10_000 }).toEqual(['#dev x  PRIVMSG #ops :forged'])
    for (const to of ['#ops,#dev', '#a b', 'x\r\nQUIT', ':x', '']) expect(irc.problemOf(to)).toBeDefined()
  })

  it('says what the server says against it, and takes another nick where its own is taken', async () => {
    const irc = channel()
    await expect(irc.send({ to: 'nobody', text: 'x', id: 'out_z-0' }, never)).rejects.toMatchObject({ forGood: true })
    await said(channel(), 'ada', 'from another one')
    await expect.poll(() => ada.heard.at(-1), { timeout: 10_000 }).toBe('ada from another one')
  })

  it('cuts long lines between characters and loses none', () => {
    const text = 'ü🎉'.repeat(500)
    const pieces = channel().split(text)
    expect(pieces.every((piece) => Buffer.byteLength(piece) <= 400)).toBe(true)
    expect(pieces.join('')).toBe(text)
  })

  it('is not sure of a message whose server is gone, and sure of one that never left', async () => {
    const away = channel({ port: 1 })
    const unsent = await away.send({ to: 'ada', text: 'x', id: 'out_a-0' }, never).catch((error: unknown) => error)
    expect(unsent).toMatchObject({ name: 'NotSent', forGood: false })
  })
})
