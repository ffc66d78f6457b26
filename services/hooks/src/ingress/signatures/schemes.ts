// How each kind of sender signs. A table: nothing else knows the difference.
import type { IncomingHttpHeaders } from 'node:http'
import { fromBase64, fromHex, hmac, isAnySame } from './digest.ts'
import type { SignatureConfig } from './schema.ts'
import { isTimely, type Proof, textIn, type Verify } from './signed-request.ts'

type Scheme = SignatureConfig['scheme']

/** `webhook-id`, `webhook-timestamp`, and several `v1,<base64>` in `webhook-signature`. */
const standardWebhooks: Verify = (request, config) => {
  const { headers, body } = request
  const id = headers['webhook-id']
  const time = headers['webhook-timestamp']
  if (id === undefined || id === '' || id.length > 256 || !isTimely(time, request, config)) return undefined
  const received = (headers['webhook-signature'] ?? '')
    .split(' ', 20)
    .map((one) => (one.startsWith('v1,') ? fromBase64(one.slice(3)) : undefined))
  const right = config.secrets.map((secret) => hmac('sha256', standardKey(secret), `${id}.${time}.`, body))
  return isAnySame(received, right) ? { nonce: id } : undefined
}

const standardPrefix = 'whsec_'

/** The secret's text is base64, mostly with its prefix. */
const standardKey = (secret: string): Buffer =>
  Buffer.from(secret.startsWith(standardPrefix) ? secret.slice(standardPrefix.length) : secret, 'base64')

/** `X-Hub-Signature-256: sha256=<hex>` of the body; the delivery's id is not signed. */
const github: Verify = ({ headers, body }, config) => {
  const text = headers['x-hub-signature-256'] ?? ''
  const received = text.startsWith('sha256=') ? fromHex(text.slice('sha256='.length)) : undefined
  const right = config.secrets.map((secret) => hmac('sha256', secret, body))
  if (received === undefined || !isAnySame([received], right)) return undefined
  return { ...onceOnly(config, received), ...keyIn(headers['x-github-delivery']) }
}

/** `Stripe-Signature: t=<seconds>,v1=<hex>[,v1=…]`; an event that is sent again has the same id and another time. */
const stripe: Verify = (request, config) => {
  const pairs = (request.headers['stripe-signature'] ?? '').split(',', 20).map((pair) => pair.trim().split('=', 2))
  const time = pairs.find(([name]) => name === 't')?.[1]
  if (!isTimely(time, request, config)) return undefined
  const received = pairs.filter(([name]) => name === 'v1').map(([, hex]) => fromHex(hex ?? ''))
  const right = config.secrets.map((secret) => hmac('sha256', secret, `${time}.`, request.body))
  if (!isAnySame(received, right)) return undefined
  const id = textIn(request.payload, 'id')
  return id === undefined ? { nonce: `${time}.${received[0]?.toString('hex')}` } : { nonce: id, isEvent: true }
}

/** `X-Slack-Signature: v0=<hex>` of `v0:<time>:<body>`; an event that is sent again has the same `event_id`. */
const slack: Verify = (request, config) => {
  const time = request.headers['x-slack-request-timestamp']
  const text = request.headers['x-slack-signature'] ?? ''
  if (!isTimely(time, request, config)) return undefined
  const received = text.startsWith('v0=') ? fromHex(text.slice(3)) : undefined
  const right = config.secrets.map((secret) => hmac('sha256', secret, `v0:${time}:`, request.body))
  if (received === undefined || !isAnySame([received], right)) return undefined
  const id = textIn(request.payload, 'event_id')
  return id === undefined ? { nonce: received.toString('hex') } : { nonce: id, isEvent: true }
}

/** Everybody else, as configured. */
const generic: Verify = (request, config) => {
  const { header, algorithm, encoding, prefix, timestampHeader, idHeader, secrets } = config
  const time = timestampHeader === undefined ? undefined : request.headers[timestampHeader]
  if (timestampHeader !== undefined && !isTimely(time, request, config)) return undefined
  const text = request.headers[header] ?? ''
  const decode = encoding === 'hex' ? fromHex : fromBase64
  const received = text.startsWith(prefix) ? decode(text.slice(prefix.length)) : undefined
  const before = time === undefined ? '' : `${time}.`
  const right = secrets.map((secret) => hmac(algorithm, secret, before, request.body))
  if (received === undefined || !isAnySame([received], right)) return undefined
  const once = time === undefined ? onceOnly(config, received) : { nonce: received.toString('hex') }
  return { ...once, ...keyIn(idHeader === undefined ? undefined : request.headers[idHeader]) }
}

/** Where no time is signed, the same body has the same signature for ever. */
const onceOnly = ({ allowSameBody }: SignatureConfig, received: Buffer): Pick<Proof, 'nonce'> =>
  allowSameBody ? {} : { nonce: received.toString('hex') }

const keyIn = (text: string | undefined): Pick<Proof, 'key'> =>
  text === undefined || text === '' || text.length > 256 ? {} : { key: text }

/** Where the signature is; `hmac` is told. */
const signatureHeaders: Readonly<Partial<Record<Scheme, string>>> = {
  'standard-webhooks': 'webhook-signature',
  github: 'x-hub-signature-256',
  stripe: 'stripe-signature',
  slack: 'x-slack-signature',
}

/** Whether there is anything to verify: a body that comes without it need not be read. */
export const hasSignature = (headers: IncomingHttpHeaders, { scheme, header }: SignatureConfig): boolean =>
  headers[signatureHeaders[scheme] ?? header] !== undefined

export const schemes: Readonly<Record<Scheme, Verify>> = {
  'standard-webhooks': standardWebhooks,
  github,
  stripe,
  slack,
  hmac: generic,
}
