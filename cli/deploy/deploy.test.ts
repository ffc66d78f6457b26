// What deploy/ says to docker compose, haproxy and helm, as these read it.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { loadAtollConfig } from '../config.ts'
import { findPlugin } from '../engine/docker-plugins.ts'
import { root } from '../places.ts'
import { findProgram } from '../programs/search.ts'
import { version } from '../version.ts'

const deploy = join(root, 'deploy')
const chart = join(deploy, 'helm', 'atoll')
const read = (...path: string[]): string => readFileSync(join(deploy, ...path), 'utf8')
const run = (program: string, args: string[], env: Record<string, string> = {}) =>
  spawnSync(program, args, { encoding: 'utf8', env: { PATH: process.env.PATH, ...env } })

const given = {
  ATOLL_DATABASE_PASSWORD: 'secret',
  ATOLL_S3_BUCKET: 'atoll',
  ATOLL_S3_ENDPOINT: 'https://s3.example.com',
  ATOLL_S3_ACCESS_KEY_ID: 'id',
  ATOLL_S3_SECRET_ACCESS_KEY: 'key',
}

interface ComposeService {
  environment: Record<string, string>
  read_only?: boolean
  user?: string
  stop_grace_period?: string
  healthcheck?: { test: string[] }
}

describe('deploy/compose.yaml', () => {
  const nodeNames = ['node-1', 'node-2', 'node-3']
  const services = parse(read('compose.yaml'), { merge: true }).services as Record<string, ComposeService>
  const nodes = nodeNames.map((name) => services[name])

  it('runs three nodes without root and without a root folder to write to, ready by /readyz', () => {
    expect(Object.keys(services).sort()).toEqual(['balancer', ...nodeNames, 'postgres'])
    for (const node of nodes) {
      expect(node).toMatchObject({ read_only: true, user: '10001:10001' })
      expect(node?.healthcheck?.test.join(' ')).toContain('/readyz')
    }
  })

  it('gives nodes settings that Atoll takes, and time to drain and to end', async () => {
    const [node] = nodes
    const filled = Object.entries(node?.environment ?? {}).map(([name, text]) => [
      name,
      text.replace(
        /\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g,
        (_, variable: keyof typeof given, usual) => given[variable] ?? usual,
      ),
    ])
    const env = { ...Object.fromEntries(filled), ATOLL_CONFIG: join(deploy, 'node.yaml') }
    const config = await loadAtollConfig({ env, flags: { data: await tempDir() } })
    expect(config.database.url).toBe('postgres://atoll:secret@postgres/atoll')
    expect(config.blobs.s3).toMatchObject({ bucket: 'atoll', endpoint: 'https://s3.example.com' })
    const { drainSeconds, graceSeconds } = config.shutdown
    expect(drainSeconds).toBeGreaterThan(2 * 2)
    expect(Number.parseInt(node?.stop_grace_period ?? '0', 10)).toBeGreaterThan(drainSeconds + graceSeconds)
  })

  it('names every variable that must be set in its example', () => {
    const wanted = [...read('compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name)
    const example = [...read('compose.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name)
    expect(example).toEqual(expect.arrayContaining(wanted))
  })

  const compose = findPlugin('docker-compose')
  it.skipIf(compose === undefined)('is taken by docker compose (skipped where that is not installed)', () => {
    const args = ['-f', join(deploy, 'compose.yaml'), 'config', '--quiet']
    expect(run(compose ?? '', args, given)).toMatchObject({ status: 0, stderr: '' })
    const refused = run(compose ?? '', args, { ...given, ATOLL_S3_BUCKET: '' })
    expect(refused).toMatchObject({ stderr: expect.stringContaining('ATOLL_S3_BUCKET') })
    expect(refused.status).not.toBe(0)
  })

  const haproxy = findProgram('haproxy')
  it.skipIf(haproxy === undefined)('has a balancer that haproxy takes (skipped where that is not installed)', () => {
    const { status, stdout, stderr } = run(haproxy ?? '', ['-c', '-f', join(deploy, 'haproxy.cfg')])
    expect(status, stdout + stderr).toBe(0)
  })
})

describe('deploy/helm/atoll', () => {
  const values = parse(read('helm', 'atoll', 'values.yaml'))
  const isValid = new Ajv({ allErrors: true }).compile(JSON.parse(read('helm', 'atoll', 'values.schema.json')))

  it('has the version of Atoll', () => {
    expect(parse(read('helm', 'atoll', 'Chart.yaml'))).toMatchObject({ version: version(), appVersion: version() })
  })

  it('has values that its schema takes, and a schema that refuses others', () => {
    expect(isValid(values), JSON.stringify(isValid.errors)).toBe(true)
    const { drainSeconds } = values.shutdown
    expect(drainSeconds).toBeGreaterThan(values.readiness.periodSeconds * values.readiness.failureThreshold)
    for (const wrong of [
      { replicas: 0 },
      { replica: 3 },
      { existingSecret: '' },
      { s3: { bucket: 'Not A Bucket' } },
      { config: { database: { url: 'postgres://a:secret@b/c' } } },
      { config: { port: 9000 } },
    ])
      expect(isValid({ ...values, ...wrong }), JSON.stringify(wrong)).toBe(false)
  })

  it('uses only values that there are, in templates', () => {
    const templates = readdirSync(join(chart, 'templates')).map((name) => read('helm', 'atoll', 'templates', name))
    const used = templates.flatMap((text) => [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path))
    expect(used.length).toBeGreaterThan(20)
    const at = (path: string): unknown =>
      path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], values)
    expect([...new Set(used)].filter((path) => at(path) === undefined)).toEqual([])
  })
})
