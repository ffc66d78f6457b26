// What every service shares. A service's own section joins by `.extend({ platform: platformConfig })`.
import { isIP } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { blobConfig } from './blob-config.ts'

const file = (what: string) =>
  z
    .string()
    .min(1)
    .meta({ expects: `the path of ${what}`, path: true })

const secret = (expects: string) => z.string().min(1).max(1_000).meta({ expects, secret: true })

const hostName = /^(?!-)[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*$/

const database = z.strictObject({
  /** Absent: the embedded SQLite in the data folder. */
  url: z
    .string()
    .refine(isPostgresUrl)
    .meta({ expects: 'a URL like postgres://user:password@host:5432/name', secret: true })
    .optional(),
  poolSize: wholeNumber(1, 500).default(10),
  /** What a statement may take; a server that says nothing for 5 s more is given up. */
  statementSeconds: wholeNumber(1, 3_600).default(30),
})

const tls = z
  .union([
    z.literal('off'),
    z.literal('self-signed'),
    z.strictObject({ certificate: file('a PEM certificate'), key: file('its PEM key') }),
  ])
  .meta({ expects: '"off", "self-signed", or a certificate and a key' })

const cors = z.strictObject({
  origins: z
    .array(z.string().refine(isOrigin).meta({ expects: '"*" or an origin like https://example.com' }))
    .min(1)
    .meta({ expects: 'a list of origins' }),
})

/** Taken over at the first start, in place of random ones. Mostly from the environment. */
const adopt = z.strictObject({
  apiKey: secret('a key of up to 1,000 characters').optional(),
  adminKey: secret('a key of up to 1,000 characters').optional(),
  hooksToken: secret('a token of up to 1,000 characters').optional(),
  clusterAdmin: secret('user:password')
    .regex(/^[^:]+:.+$/)
    .optional(),
})

/** `services` are the names of those that exist; `usual` ones run unless told. */
export function kernelConfig<const Name extends string>(
  services: readonly [Name, ...Name[]],
  usual: readonly Name[] = services,
) {
  return z.strictObject({
    data: file('a folder').default(() => join(homedir(), '.local', 'share', 'atoll')),
    port: wholeNumber(0, 65_535).default(8080),
    host: z.string().refine(isHost).meta({ expects: 'an address or a host name' }).default('127.0.0.1'),
    database: database.prefault({}),
    blobs: blobConfig.prefault({}),
    /** Of vectors and their indexes in memory; those unused longest go first. */
    vectors: z
      .strictObject({
        memoryMb: wholeNumber(64, 1_000_000).default(1_024),
        /** Whether large collections are searched by PostgreSQL's extension where it has it. */
        pgvector: oneOf(['auto', 'off']).default('auto'),
      })
      .prefault({}),
    /** Where the other nodes on a PostgreSQL reach this one: absent, by where it listens. */
    nodes: z
      .strictObject({
        address: z.string().refine(isHttpOrigin).meta({ expects: 'an address like http://10.0.0.7:8080' }).optional(),
      })
      .prefault({}),
    tls: tls.default('off'),
    cors: cors.optional(),
    log: z.strictObject({ level: oneOf(['debug', 'info', 'warn', 'error']).default('info') }).prefault({}),
    shutdown: z
      .strictObject({ graceSeconds: wholeNumber(0, 3_600).default(10), drainSeconds: wholeNumber(0, 3_600).default(0) })
      .prefault({}),
    services: z
      .array(oneOf(services))
      .min(1)
      .meta({ expects: `a list with any of: ${services.join(', ')}` })
      .default([...usual]),
    adopt: adopt.prefault({}),
  })
}

export type KernelConfig = z.output<ReturnType<typeof kernelConfig<string>>>

function wholeNumber(least: number, most: number) {
  return z
    .int()
    .min(least)
    .max(most)
    .meta({ expects: `a whole number from ${least} to ${most}` })
}

function oneOf<const Name extends string>(names: readonly [Name, ...Name[]]) {
  return z.enum(names).meta({ expects: names.length === 1 ? names[0] : `one of: ${names.join(', ')}` })
}

function isHost(text: string): boolean {
  return isIP(text) !== 0 || (text.length <= 253 && hostName.test(text))
}

function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text)
}

function isHttpOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
}

function isOrigin(text: string): boolean {
  return text === '*' || isHttpOrigin(text)
}
