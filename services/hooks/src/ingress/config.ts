// What can be set about the way in: section `hooks`, together with the mappings' part.
import { BlockList, isIP } from 'node:net'
import { z } from 'zod'
import { SignatureConfig } from './signatures/schema.ts'

const Secret = z.string().min(1).max(1_000).meta({ expects: 'a secret of up to 1,000 characters', secret: true })

const wholeNumber = (least: number, most: number) =>
  z
    .int()
    .min(least)
    .max(most)
    .meta({ expects: `a whole number from ${least} to ${most}` })

const HooksPath = z
  .string()
  .max(200)
  .transform((path) => `/${path.replace(/^\/+|\/+$/g, '')}`)
  .refine((path) => path !== '/', { error: "hooks.path may not be '/'" })
  .refine((path) => /^(?:\/[A-Za-z0-9._~-]+)+$/.test(path) && !/\/\.{1,2}(?:\/|$)/.test(path))
  .refine((path) => !/^\/(?:hooks-admin|healthz|readyz|metrics)(?:\/|$)/.test(path))
  .meta({ expects: "a path like /hooks; hooks.path may not be '/', nor a path of the gateway's own" })

export const TokenConfig = z.strictObject({
  /** Named in logs and in the list of deliveries, in the token's place. */
  id: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/)
    .meta({ expects: 'up to 64 letters, digits, dots, dashes or underscores' }),
  token: Secret,
  /** Ids of mappings: it opens nothing else then. Absent: every hook. */
  mappings: z.array(z.string().min(1).max(200)).max(1_000).optional(),
  /** Requests with this token must be signed too. */
  signature: SignatureConfig.optional(),
  /** Whether a recipient that it names at `agent` becomes the one that `last` leads to: the operator's own programs. */
  setsRoute: z.boolean().meta({ expects: 'true or false' }).default(false),
})

const QueueConfig = z.strictObject({
  /** Turns that run at once on this node. */
  concurrency: wholeNumber(1, 256).default(4),
  /** Deliveries that wait at most; beyond that senders are told to come again (503). */
  maxQueued: wholeNumber(1, 10_000_000).default(200_000),
  /** After this many failed attempts a delivery is dead. */
  maxAttempts: wholeNumber(1, 100).default(5),
  /** Before the second attempt; doubled for each that follows. */
  backoffSeconds: z.number().min(0.01).max(3_600).default(5),
  maxBackoffSeconds: z.number().min(0.01).max(86_400).default(600),
  /** A node that does not renew within this time has lost the delivery to others. */
  leaseSeconds: z.number().min(1).max(3_600).default(30),
})

export const IngressConfig = z.strictObject({
  /** Absent: on, with a token made at the first start. */
  enabled: z.boolean().optional(),
  token: Secret.optional(),
  path: HooksPath.prefault('/hooks'),
  /** Unless told: the platform's port and one. */
  port: wholeNumber(0, 65_535).optional(),
  maxBodyBytes: wholeNumber(1, 32 * 1024 * 1024).default(256 * 1024),
  /** A body that takes longer is given up (408). */
  bodySeconds: z.number().min(0.1).max(3_600).default(30),
  /** Whether `?token=` is accepted: deprecated, since addresses end up in logs. */
  queryToken: z.boolean().default(true),
  tokens: z.array(TokenConfig).max(100).default([]),
  /** For /hooks-admin. Absent: made at the first start. */
  adminToken: Secret.optional(),
  /** By client address: more failures than this within the time, and it has to wait. */
  authFailures: z
    .strictObject({ limit: wholeNumber(1, 1_000_000).default(20), seconds: wholeNumber(1, 86_400).default(60) })
    .prefault({}),
  /** Whose word on the client's address (X-Forwarded-For) counts: addresses or subnets. */
  trustedProxies: z.array(z.string().refine(isSubnet).meta({ expects: 'an address or a subnet' })).default([]),
  queue: QueueConfig.prefault({}),
  /** Of ended deliveries. Keys against duplicates are kept as long. */
  retentionDays: wholeNumber(1, 3_650).default(30),
})

/** What a gateway that runs takes on when the configuration is read again, with the mappings'. */
export const reloadableSettings = [
  ...['token', 'tokens', 'adminToken', 'queryToken', 'trustedProxies', 'maxBodyBytes', 'bodySeconds'],
  ...['authFailures.limit', 'authFailures.seconds', 'presets', 'mappings', 'transformsDir'],
]

export type IngressConfig = z.output<typeof IngressConfig>
export type QueueConfig = z.output<typeof QueueConfig>
export type TokenConfig = z.output<typeof TokenConfig>

function isSubnet(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
}

/** Answers whether an address is one of those listed. */
export function addressList(subnets: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [address = '', bits] = subnet.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => {
    const family = isIP(address)
    return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
}
