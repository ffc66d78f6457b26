import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, describe, expect, it } from 'vitest'
import type { Channel } from '../channel.ts'
import { ChannelsConfig } from '../config.ts'
import { createChannels } from '../create-channels.ts'
import { localOnly } from '../testing/channel-kit.ts'

const never = new AbortController().signal
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function mailServer(options: SMTPServerOptions = {}) {
  const mails: { to: string[]; text: string }[] = []
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['STARTTLS'], allowInsecureAuth: true },
    async onData(stream, session, done) {
      let text = ''
      for await (const chunk of stream) text += chunk
      mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text })
      done()
    },
    ...options,
  })
  server.on('error', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  closing.push(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { mails, port: (server.server.address() as AddressInfo).port }
}

function channel(port: number, settings: object = {}): Channel {
  const email = { host: '127.0.0.1', port, security: 'off', from: 'Atoll <agent@example.org>', ...settings }
  const made = createChannels(ChannelsConfig.parse({ ...localOnly, email })).get('email') as Channel
  closing.push(() => made.close())
  return made
}

describe('email', () => {
  it('arrives with its text, and with the same Message-ID when it is sent again (HOOK-055, HOOK-056)', async () => {
    const { mails, port } = await mailServer()
    const email = channel(port)
    for (let n = 0; n < 2; n++) await email.send({ to: 'ada@example.org', text: 'Grüße', id: 'out_1-0' }, never)
    expect(mails).toHaveLength(2)
    expect(mails[0]?.to).toEqual(['ada@example.org'])
    expect(mails[0]?.text).toMatch(/^Message-ID: <out_1-0@example\.org>/im)
    expect(mails[0]?.text).toMatch(/^Auto-Submitted: auto-generated/im)
    expect(mails[0]?.text).toMatch(/Gr=C3=BC=C3=9Fe|R3LDvMOfZQ/)
  })

  it('goes to one address only, and no line of it becomes a header', async () => {
    const { mails, port } = await mailServer()
    const email = channel(port)
    for (const to of ['a@x.org,b@x.org', 'a@x.org\r\nBcc: b@x.org', '<a@x.org>', 'a b@x.org', 'a@x.org;b@x.org', 'a']) {
      expect(email.problemOf(to)).toBeDefined()
    }
    await email.send({ to: 'a@x.org', text: 'Bcc: b@x.org\r\n\r\n.\r\nRCPT TO:<c@x.org>', id: 'out_2-0' }, never)
    expect(mails.map(({ to }) => to)).toEqual([['a@x.org']])
    expect(mails[0]?.text.split('\r\n\r\n')[0]).not.toMatch(/^Bcc/im)
  })

  it('tells what passes from what does not', async () => {
    const { port } = await mailServer({
      onRcptTo({ address }, _session, done) {
        const code = address.startsWith('full') ? 452 : 550
        done(Object.assign(new Error('no room'), { responseCode: code }))
      },
    })
    const email = channel(port)
    await expect(email.send({ to: 'full@x.org', text: 'x', id: 'i' }, never)).rejects.toMatchObject({ forGood: false })
    await expect(email.send({ to: 'none@x.org', text: 'x', id: 'i' }, never)).rejects.toMatchObject({ forGood: true })
  })

  it('gives no password to a server without encryption unless that is meant', async () => {
    const { port } = await mailServer()
    const email = channel(port, { security: 'starttls', user: 'u', password: 'mail-secret' })
    const refused = await email.send({ to: 'a@x.org', text: 'x', id: 'i' }, never).catch((error: unknown) => error)
    expect(refused).toMatchObject({ name: 'NotSent' })
    expect(String(refused)).not.toContain('mail-secret')
  })
})
