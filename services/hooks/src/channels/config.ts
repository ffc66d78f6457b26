// Where replies can go: one section for each kind of channel.
import { z } from 'zod'
import { channelKinds } from '../actions.ts'

const secret = (expects: string) => z.string().min(1).max(1_000).meta({ expects, secret: true })
const host = z.string().min(1).max(253).meta({ expects: 'a host name or an address' })
const port = (usual: number) => z.int().min(1).max(65_535).meta({ expects: 'a port' }).default(usual)
const url = (schemes: readonly string[]) =>
  z
    .string()
    .refine((text) => URL.canParse(text) && schemes.includes(new URL(text).protocol) && !hasCredentials(text))
    .meta({ expects: `an address that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}` })

const web = url(['https:', 'http:'])
const hasCredentials = (text: string): boolean => new URL(text).username !== '' || new URL(text).password !== ''
const oneLine = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\r\n\0]+$/)
  .meta({ expects: 'one line of text' })

const Email = z.strictObject({
  host,
  port: port(587),
  /** `tls` from the first byte, `starttls` before anything else is said, `off` only where the network is trusted. */
  security: z.enum(['tls', 'starttls', 'off']).default('starttls'),
  user: z.string().min(1).optional(),
  password: secret('the password of the mail account').optional(),
  from: oneLine,
  subject: oneLine.default('Message from your agent'),
})

const Irc = z.strictObject({
  host,
  port: port(6697),
  tls: z.boolean().default(true),
  nick: z
    .string()
    .regex(/^[A-Za-z[\]\\`_^{|}][-\w[\]\\`^{|}]{0,29}$/)
    .meta({ expects: 'a nick name' }),
  password: secret('the password of the server').optional(),
  sasl: z.strictObject({ account: z.string().min(1), password: secret('the password of the account') }).optional(),
})

const Mqtt = z.strictObject({
  url: url(['mqtt:', 'mqtts:']),
  user: z.string().min(1).optional(),
  password: secret('the password of the user').optional(),
  /** Stands before every topic that is asked for. */
  topicPrefix: z
    .string()
    .max(200)
    .regex(/^[^+#\0]*$/)
    .meta({ expects: 'the beginning of a topic' })
    .default(''),
  qos: z.union([z.literal(1), z.literal(2)]).default(1),
})

const Xmpp = z.strictObject({
  host: host.optional(),
  port: port(5222),
  domain: host,
  /** `off` only where the network is trusted. */
  security: z.enum(['starttls', 'off']).default('starttls'),
  user: z.string().min(1),
  password: secret('the password of the account'),
  resource: z.string().min(1).max(100).default('atoll'),
  /** Rooms that are joined before something is sent to them. */
  rooms: z.array(z.string().min(3)).default([]),
})

const Matrix = z.strictObject({ homeserver: web, accessToken: secret('the access token of the account') })
const Slack = z.strictObject({ url: web.default('https://slack.com'), token: secret('the token of the app') })
const Discord = z.strictObject({ url: web.default('https://discord.com'), token: secret('the token of the bot') })
const Telegram = z.strictObject({
  url: web.default('https://api.telegram.org'),
  token: secret('the token of the bot').regex(/^[\w:-]+$/),
})

export const ChannelsConfig = z.strictObject({
  /** Who hears what nobody in particular was to hear. */
  default: z.strictObject({ channel: z.enum(channelKinds), to: oneLine }).optional(),
  /**
   * Private and local addresses are refused, whatever name leads to them, but for these: addresses, ranges like
   * 10.0.0.0/8, or host names.
   */
  allowPrivateAddresses: z.array(z.string().min(1).max(253)).default([]),
  email: Email.optional(),
  irc: Irc.optional(),
  mqtt: Mqtt.optional(),
  xmpp: Xmpp.optional(),
  matrix: Matrix.optional(),
  slack: Slack.optional(),
  discord: Discord.optional(),
  telegram: Telegram.optional(),
})

export type ChannelsConfig = z.output<typeof ChannelsConfig>
export type SettingsOf<Kind extends keyof ChannelsConfig> = NonNullable<ChannelsConfig[Kind]>
