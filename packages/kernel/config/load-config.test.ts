import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ConfigError } from './config-error.ts'
import { kernelConfig } from './kernel-config.ts'
import { type ConfigSources, loadConfig } from './load-config.ts'

const schema = kernelConfig(['platform', 'hooks']).extend({
  platform: z
    .strictObject({ models: z.array(z.strictObject({ id: z.string(), owner: z.string().optional() })).default([]) })
    .prefault({}),
})

const folder = mkdtempSync(join(tmpdir(), 'atoll-config-'))
const file = join(folder, 'atoll.yaml')
afterAll(() => rmSync(folder, { recursive: true }))

function load({ text, ...sources }: Partial<ConfigSources> & { text?: string }) {
  if (text === undefined) return loadConfig(schema, { env: {}, ...sources })
  writeFileSync(file, text)
  return loadConfig(schema, { env: {}, ...sources, file })
}

async function problems(sources: Parameters<typeof load>[0]): Promise<string[]> {
  const error = await load(sources).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ConfigError)) throw error ?? new Error('The configuration was accepted.')
  return error.problems.map((line) => line.replaceAll(`${folder}/`, ''))
}

describe('a configuration', () => {
  it('is complete without any source', async () => {
    expect(await load({})).toEqual({
      data: join(homedir(), '.local/share/atoll'),
      port: 8080,
      host: '127.0.0.1',
      database: { poolSize: 10, statementSeconds: 30 },
      blobs: {},
      vectors: { memoryMb: 1_024, pgvector: 'auto' },
      nodes: {},
      tls: 'off',
      log: { level: 'info' },
      shutdown: { graceSeconds: 10, drainSeconds: 0 },
      services: ['platform', 'hooks'],
      adopt: {},
      platform: { models: [] },
    })
  })

  it('takes flags over environment over file over defaults', async () => {
    const text = 'port: 1\nhost: 0.0.0.0\nlog: {level: warn}\nshutdown: {graceSeconds: 3}'
    const env = { ATOLL_PORT: '2', ATOLL_HOST: '::1' }
    const config = await load({ text, env, flags: { port: '3' } })
    expect(config).toMatchObject({ port: 3, host: '::1', log: { level: 'warn' }, shutdown: { graceSeconds: 3 } })
  })

  it('reads JSON, and the file that ATOLL_CONFIG names', async () => {
    const path = join(folder, 'atoll.json')
    writeFileSync(path, '{"port": 9, "platform": {"models": [{"id": "small"}]}}')
    const config = await load({ env: { ATOLL_CONFIG: path } })
    expect(config).toMatchObject({ port: 9, platform: { models: [{ id: 'small' }] } })
  })

  it('reads lists, certificates and keys from variables', async () => {
    const env = {
      ATOLL_TLS: '/etc/a.pem,/etc/a.key',
      ATOLL_CORS_ORIGINS: 'https://a.example, https://b.example:444',
      ATOLL_SERVICES: 'hooks',
      ATOLL_API_KEY: 'sk-mine',
      ATOLL_CLUSTER_ADMIN: 'admin:pass:word',
      ATOLL_TEST_LONG: '1',
      ATOLL_CLUSTER_USER: 'of-commands@cluster.test:pass',
      ATOLL_URL: 'http://127.0.0.1:8080',
      ATOLL_HOST: '',
    }
    expect(await load({ env })).toMatchObject({
      tls: { certificate: '/etc/a.pem', key: '/etc/a.key' },
      cors: { origins: ['https://a.example', 'https://b.example:444'] },
      services: ['hooks'],
      adopt: { apiKey: 'sk-mine', clusterAdmin: 'admin:pass:word' },
      host: '127.0.0.1',
    })
  })

  it('starts relative paths at the folder of the file, or where the command was given', async () => {
    const text = 'data: here\ntls: {certificate: ~/c.pem, key: k.pem}'
    expect(await load({ text })).toMatchObject({
      data: join(folder, 'here'),
      tls: { certificate: join(homedir(), 'c.pem'), key: join(folder, 'k.pem') },
    })
    expect(await load({ text, flags: { data: 'there' } })).toMatchObject({ data: join(process.cwd(), 'there') })
  })
})

const refused: [what: string, sources: Parameters<typeof load>[0], lines: string[]][] = [
  ['a misspelt key', { text: 'prot: 1' }, ['prot: there is no such setting; did you mean port? (atoll.yaml:1)']],
  [
    'a misspelt key deep inside',
    { text: 'platform:\n  models:\n    - id: a\n      ownre: me' },
    ['platform.models[0].ownre: there is no such setting; did you mean owner? (atoll.yaml:4)'],
  ],
  [
    'a key that resembles nothing',
    { text: 'log: {colour: red}' },
    ['log.colour: there is no such setting; there are: level (atoll.yaml:1)'],
  ],
  [
    'a misspelt variable',
    { env: { ATOLL_PROT: '1' } },
    ['ATOLL_PROT: there is no such variable; did you mean ATOLL_PORT?'],
  ],
  ['a strange variable', { env: { ATOLL_XYZZY_PLUGH: '1' } }, ['ATOLL_XYZZY_PLUGH: there is no such variable']],
  [
    'a port that is a word',
    { flags: { port: 'http' } },
    ['port: expected a whole number from 0 to 65535, got "http" (--port)'],
  ],
  [
    'a port out of range',
    { env: { ATOLL_PORT: '70000' } },
    ['port: expected a whole number from 0 to 65535, got 70000 (ATOLL_PORT)'],
  ],
  [
    'a level that is none',
    { env: { ATOLL_LOG_LEVEL: 'loud' } },
    ['log.level: expected one of: debug, info, warn, error, got "loud" (ATOLL_LOG_LEVEL)'],
  ],
  [
    'a service that is none',
    { flags: { only: 'platform,hoks' } },
    ['services[1]: expected one of: platform, hooks, got "hoks" (--only)'],
  ],
  [
    'no service at all',
    { flags: { only: ',' } },
    ['services: expected a list with any of: platform, hooks, got [] (--only)'],
  ],
  ['a host that is none', { flags: { host: 'a b' } }, ['host: expected an address or a host name, got "a b" (--host)']],
  [
    'a TLS mode that is none',
    { flags: { tls: 'on' } },
    ['tls: expected "off", "self-signed", or a certificate and a key, got "on" (--tls)'],
  ],
  [
    'a certificate without its key',
    { text: 'tls:\n  certificate: a.pem' },
    ['tls.key: missing; expected the path of its PEM key (atoll.yaml:1)'],
  ],
  [
    'an origin with a path',
    { text: 'cors: {origins: ["https://a.example/x"]}' },
    ['cors.origins[0]: expected "*" or an origin like https://example.com, got "https://a.example/x" (atoll.yaml:1)'],
  ],
  [
    'an empty group',
    { text: 'shutdown:' },
    ['shutdown: expected a group of settings (graceSeconds, drainSeconds), got null (atoll.yaml:1)'],
  ],
  [
    'a variable that lands in something else',
    { text: 'log: loud', env: { ATOLL_LOG_LEVEL: 'info' } },
    [
      'log.level: cannot be set by ATOLL_LOG_LEVEL, the file has something else in its place',
      'log: expected a group of settings (level), got "loud" (atoll.yaml:1)',
    ],
  ],
  ['a list as the whole file', { text: '- 1' }, ['atoll.yaml: expected settings, one `name: value` a line']],
  ['a key given twice', { text: 'port: 1\nport: 2' }, ['atoll.yaml:2: Map keys must be unique']],
  ['a file that is not there', { file: join(folder, 'none.yaml') }, ['none.yaml: there is no such file']],
  [
    'several faults at once',
    { text: 'port: -1\nhots: a', env: { ATOLL_TLS: 'no' } },
    [
      'port: expected a whole number from 0 to 65535, got -1 (atoll.yaml:1)',
      'tls: expected "off", "self-signed", or a certificate and a key, got "no" (ATOLL_TLS)',
      'hots: there is no such setting; did you mean host? (atoll.yaml:2)',
    ],
  ],
]

describe('a configuration is refused for', () => {
  it.each(refused)('%s', async (_what, sources, lines) => {
    expect(await problems(sources)).toEqual(lines)
  })

  it.each([
    ['a database address', { env: { ATOLL_DATABASE_URL: 'mysql://root:hunter2@x/y' } }],
    ['a database given as text', { text: 'database: hunter2' }],
    ['keys given as text', { text: 'adopt: hunter2' }],
    ['a key that is a list', { text: 'adopt: {apiKey: [hunter2]}' }],
    ['an admin without a password', { env: { ATOLL_CLUSTER_ADMIN: 'hunter2' } }],
    ['a key under a wrong name', { text: 'adopt: {apiKye: hunter2}' }],
  ])('%s, without showing the secret', async (_what, sources) => {
    const lines = await problems(sources)
    expect(lines).toHaveLength(1)
    expect(lines.join('')).not.toContain('hunter2')
  })

  it('aliases that multiply without end', async () => {
    const level = (name: string, of: string) => `${name}: &${name} [${Array(20).fill(`*${of}`).join(',')}]`
    const text = ['a: &a [1,2,3]', level('b', 'a'), level('c', 'b'), level('d', 'c'), level('e', 'd')].join('\n')
    expect(await problems({ text })).toEqual(['atoll.yaml: too many aliases'])
  })
})
