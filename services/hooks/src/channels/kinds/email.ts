// Electronic mail. A message that is sent again has the same Message-ID, by which mailboxes know it.
import { createTransport, type Transporter } from 'nodemailer'
import { type Channel, NotSent } from '../channel.ts'
import type { SettingsOf } from '../config.ts'
import type { FindAddress } from '../net/find-address.ts'
import { splitText } from '../split-text.ts'

const timeoutMs = 30_000
const maxCharacters = 500_000
const address = /^[^\s<>,;:"()[\]\\@\0]{1,64}@[A-Za-z0-9.-]{1,253}$/

export function emailChannel(settings: SettingsOf<'email'>, findAddress: FindAddress): Channel {
  const domain = /@([A-Za-z0-9.-]+)/.exec(settings.from)?.[1] ?? 'atoll.invalid'
  let open: Promise<Transporter> | undefined
  const connect = async (): Promise<Transporter> => {
    const host = await findAddress(settings.host)
    return createTransport({
      ...{ pool: true, maxConnections: 2, host, port: settings.port },
      secure: settings.security === 'tls',
      requireTLS: settings.security === 'starttls',
      ignoreTLS: settings.security === 'off',
      tls: { servername: settings.host },
      ...(settings.user !== undefined && { auth: { user: settings.user, pass: settings.password ?? '' } }),
      ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    })
  }
  const close = async (): Promise<void> => {
    const closing = open
    open = undefined
    await closing?.then((transport) => transport.close()).catch(() => undefined)
  }
  return {
    kind: 'email',
    deduplicates: true,
    problemOf: (to) => (address.test(to) ? undefined : 'an email recipient looks like name@example.org'),
    split: (text) => splitText(text, maxCharacters),
    async send({ to, text, id }) {
      open ??= connect()
      try {
        const transport = await open
        await transport.sendMail({
          ...{ from: settings.from, to: { name: '', address: to }, subject: settings.subject, text },
          messageId: `<${id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
      } catch (error) {
        await close() // the next one looks the host up again
        throw failureOf(error)
      }
    },
    close,
  }
}

function failureOf(error: unknown): NotSent {
  if (error instanceof NotSent) return error
  const { responseCode, code, message } = error as { responseCode?: number; code?: string; message: string }
  const refused = code === 'EAUTH' || code === 'EENVELOPE'
  const forGood = responseCode === undefined ? refused : responseCode >= 500
  const words = message.split('\n', 1)[0]?.slice(0, 300)
  return new NotSent(`The mail server did not take it: ${words}`, { forGood, uncertain: !forGood, cause: error })
}
