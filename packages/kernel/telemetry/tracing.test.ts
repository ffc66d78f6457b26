import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { systemClock } from '../clock/clock.ts'
import { selfSignedCertificate } from '../http/server/self-signed.ts'
import {
  asUser,
  defineRoute,
  LogRecorder,
  type Sample,
  type SampleChanges,
  startSample,
} from '../http/testing/sample-service.ts'
import { TextSocket } from '../http/testing/text-socket.ts'
import { openTracing } from './open-tracing.ts'
import { OtlpCollector } from './testing/otlp-collector.ts'
import type { Tracing } from './tracing.ts'

const ending: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end()
  vi.unstubAllEnvs()
})

const serverKind = 2
const errorStatus = 2
const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

const waiting = Promise.withResolvers<string>()
const wait = defineRoute({
  method: 'GET',
  path: '/v1/wait',
  auth: 'anyone',
  summary: 'Wait until the client leaves',
  response: z.object({}),
  handler: async ({ id, signal }) => {
    waiting.resolve(id)
    await once(signal, 'abort')
    return {}
  },
})

/** With these variables of OpenTelemetry, and no others. */
async function traced(env: Record<string, string>): Promise<{ tracing: Tracing | undefined; log: LogRecorder }> {
  for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) vi.stubEnv(name, undefined)
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const log = new LogRecorder()
  const tracing = await openTracing({ log, clock: systemClock, version: '1.2.3' })
  return { tracing, log }
}

async function startTraced(
  env: Record<string, string> = {},
  changes: SampleChanges = {},
): Promise<{ collector: OtlpCollector; sample: Sample }> {
  const collector = new OtlpCollector()
  const endpoint = await collector.start()
  ending.push(() => collector.stop())
  const { tracing } = await traced({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_BSP_SCHEDULE_DELAY: '1', ...env })
  const sample = await startSample({ ...changes, routes: [wait], options: { ...changes.options, tracing } })
  ending.push(async () => tracing?.close())
  ending.push(() => sample.stop())
  return { collector, sample }
}

const idOf = async (asked: Promise<Response>): Promise<string | null> => {
  const response = await asked
  await response.arrayBuffer()
  return response.headers.get('x-request-id')
}

/** An address at which nobody listens. */
async function closedAddress(): Promise<string> {
  const collector = new OtlpCollector()
  const address = await collector.start()
  await collector.stop()
  return address
}

const request = { id: 'req_1', service: 'sample', method: 'GET', scheme: 'http', path: '/', route: '/' } as const

describe('a traced server', () => {
  it('makes one span of a request, named by its route', async () => {
    const { collector, sample } = await startTraced()
    const id = await idOf(fetch(`${sample.url}/v1/things/t_1?x=1`, { headers: asUser }))
    const known = await idOf(fetch(`${sample.url}/v1/things/t_1`, { headers: asUser }))
    const refused = await collector.spanOf(id)
    expect(refused.attributes['http.response.status_code']).toBe(400)
    const span = await collector.spanOf(known)
    expect(span).toMatchObject({ name: 'GET /v1/things/:thing_id', kind: serverKind, status: { code: 0 } })
    expect(span.parentSpanId ?? '').toBe('')
    expect(span.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/v1/things/:thing_id',
      'url.path': '/v1/things/t_1',
      'url.scheme': 'http',
      'http.response.status_code': 200,
      'atoll.service': 'sample',
      'atoll.request_id': known,
    })
    expect(span.resource).toMatchObject({ 'service.name': 'atoll', 'service.version': '1.2.3' })
    expect(collector.spans).toHaveLength(2)
    expect(new Set(collector.paths)).toEqual(new Set(['/v1/traces']))
  })

  it('keeps unknown paths out of the names, and calls a 404 no error', async () => {
    const { collector, sample } = await startTraced()
    const span = await collector.spanOf(await idOf(fetch(`${sample.url}/nowhere/7`)))
    expect(span).toMatchObject({ name: 'GET', status: { code: 0 } })
    expect(span.attributes).toMatchObject({ 'url.path': '/nowhere/7', 'http.response.status_code': 404 })
    expect(span.attributes).not.toHaveProperty('http.route')
    expect(span.attributes).not.toHaveProperty('error.type')
  })

  it('calls a 500 an error, without its inner reason', async () => {
    const { collector, sample } = await startTraced()
    const span = await collector.spanOf(await idOf(fetch(`${sample.url}/v1/boom`)))
    expect(span).toMatchObject({ name: 'GET /v1/boom', status: { code: errorStatus } })
    expect(span.attributes).toMatchObject({ 'http.response.status_code': 500, 'error.type': '500' })
    expect(collector.received).not.toContain('secret detail')
  })

  it('goes on with the trace of its caller, and not with an invalid one', async () => {
    const { collector, sample } = await startTraced()
    const ask = (traceparent: string) => idOf(fetch(`${sample.url}/healthz`, { headers: { traceparent } }))
    const child = await collector.spanOf(await ask(`00-${traceId}-${spanId}-01`))
    expect(child).toMatchObject({ traceId, parentSpanId: spanId })
    const orphan = await collector.spanOf(await ask(`00-${traceId}-${'0'.repeat(16)}-01`))
    expect(orphan.traceId).not.toBe(traceId)
    expect(orphan.parentSpanId ?? '').toBe('')
    const unsampled = await ask(`00-${traceId}-${spanId}-00`)
    await collector.spanOf(await ask('garbage'))
    expect(collector.spans.map(({ attributes }) => attributes['atoll.request_id'])).not.toContain(unsampled)
  })

  it('lets no key, header or query reach the collector', async () => {
    const { collector, sample } = await startTraced()
    const headers = { authorization: 'Bearer sk-proj-headerkey', 'user-agent': 'probe-agent', cookie: 'c=cookiekey' }
    const tracestate = { traceparent: `00-${traceId}-${spanId}-01`, tracestate: 'vendor=statekey' }
    const address = `${sample.url}/v1/things/sk-proj-pathkey?api_key=sk-proj-querykey&plain=queryword`
    const span = await collector.spanOf(await idOf(fetch(address, { headers: { ...headers, ...tracestate } })))
    expect(span.attributes['url.path']).toBe('/v1/things/sk-[redacted]')
    expect(collector.received).not.toMatch(/headerkey|probe-agent|cookiekey|statekey|pathkey|querykey|queryword/)
  })

  it('tells a request whose client left before its answer', async () => {
    const { collector, sample } = await startTraced()
    const client = TextSocket.tcp(sample.listener.port)
    await client.write('GET /v1/wait HTTP/1.1\r\nHost: x\r\n\r\n')
    const id = await waiting.promise
    client.socket.destroy()
    const { attributes } = await collector.spanOf(id)
    expect(attributes['atoll.cut']).toBe(true)
    expect(attributes).not.toHaveProperty('http.response.status_code')
  })

  it('makes one span of a WebSocket, from its request to its end, and knows TLS', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atoll-tracing-tls-'))
    ending.push(() => rm(folder, { recursive: true, force: true }))
    const tls = await selfSignedCertificate(folder)
    const echo = { path: '/v1/echo', auth: 'anyone', summary: 'Greet', query: undefined, maxMessageBytes: 10 } as const
    const sockets = [{ ...echo, open: (peer: WebSocket) => peer.send('hello') }]
    const { collector, sample } = await startTraced({}, { sockets, options: { tls } })
    const socket = new WebSocket(`${sample.url.replace('https', 'wss')}/v1/echo`, { ca: tls.cert })
    const [[response]] = await Promise.all([once(socket, 'upgrade'), once(socket, 'message')])
    expect(collector.spans).toEqual([])
    socket.close()
    const span = await collector.spanOf(response.headers['x-request-id'])
    expect(span.name).toBe('GET /v1/echo')
    expect(span.attributes).toMatchObject({ 'url.scheme': 'https', 'http.response.status_code': 101 })
    expect(collector.spans).toHaveLength(1)
  })

  it('keeps long paths short', async () => {
    const { collector, sample } = await startTraced()
    const span = await collector.spanOf(await idOf(fetch(`${sample.url}/${'p'.repeat(20_000)}`)))
    expect(span.attributes['url.path']).toHaveLength(1024)
  })
})

describe('the variables of OpenTelemetry', () => {
  it('name the service, add attributes, and send headers to the collector', async () => {
    const { collector, sample } = await startTraced({
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=lab,service.name=other',
      OTEL_SERVICE_NAME: 'cloud',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=blue',
    })
    const span = await collector.spanOf(await idOf(fetch(`${sample.url}/healthz`)))
    expect(span.resource).toMatchObject({ 'service.name': 'cloud', 'deployment.environment.name': 'lab' })
    expect(collector.received).toContain('x-tenant\nblue')
  })

  it.each([
    [{}, 'always_on', '', true],
    [{}, 'always_off', '', false],
    [{}, 'traceidratio', '0', false],
    [{}, 'parentbased_traceidratio', '0', false],
    [{ traceparent: `00-${traceId}-${spanId}-01` }, 'parentbased_traceidratio', '0', true],
    [{ traceparent: `00-${traceId}-${spanId}-00` }, 'always_on', '', true],
    [{}, 'nonsense', '', true],
  ])('choose what is sampled: %o by %s %s', async (headers, sampler, arg, isSampled) => {
    const { tracing, log } = await traced({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_TRACES_SAMPLER: sampler,
      OTEL_TRACES_SAMPLER_ARG: arg,
    })
    ending.push(async () => tracing?.close())
    expect(tracing?.startRequest({ ...request, headers }) !== undefined).toBe(isSampled)
    const told = log.lines.map(({ fields }) => fields.variable)
    expect(told).toEqual(sampler === 'nonsense' ? ['OTEL_TRACES_SAMPLER'] : [])
  })

  it('that cannot be used are told', async () => {
    const { tracing, log } = await traced({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TIMEOUT: '-5',
      OTEL_BSP_MAX_QUEUE_SIZE: 'many',
    })
    ending.push(async () => tracing?.close())
    const told = log.lines.map(({ level, fields }) => `${level} ${fields.variable ?? fields.reason}`)
    expect(told).toHaveLength(3)
    expect(told.toSorted()).toEqual([
      expect.stringMatching(/^warn Configuration: OTEL_EXPORTER_OTLP_TIMEOUT is invalid/),
      'warn OTEL_BSP_MAX_QUEUE_SIZE',
      'warn OTEL_EXPORTER_OTLP_PROTOCOL',
    ])
  })

  it('turn traces off, or never on', async () => {
    const endpoint = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9/v1/traces' }
    expect((await traced({})).tracing).toBeUndefined()
    expect((await traced({ ...endpoint, OTEL_SDK_DISABLED: 'TRUE' })).tracing).toBeUndefined()
    expect((await traced({ ...endpoint, OTEL_SDK_DISABLED: '', OTEL_TRACES_EXPORTER: 'none' })).tracing).toBeUndefined()
    const wrong = await traced({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'localhost:4318', OTEL_TRACES_EXPORTER: '' })
    expect(wrong.tracing).toBeUndefined()
    expect(wrong.log.lines).toMatchObject([{ fields: { variable: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' } }])
  })
})

describe('a collector', () => {
  it('that is down costs no request, and one warning', async () => {
    const { tracing, log } = await traced({
      OTEL_EXPORTER_OTLP_ENDPOINT: await closedAddress(),
      OTEL_EXPORTER_OTLP_TIMEOUT: '100',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1',
    })
    const sample = await startSample({ options: { tracing } })
    for (let i = 0; i < 5; i++) expect((await fetch(`${sample.url}/healthz`)).status).toBe(200)
    await sample.stop()
    await tracing?.close()
    expect(log.lines).toMatchObject([
      { level: 'warn', fields: { lost_spans: 1, reason: expect.stringContaining('ECONNREFUSED') } },
    ])
  })

  it('that never answers does not hold up the end', async () => {
    const silent = createServer((socket) => ending.push(async () => void socket.destroy())).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    ending.push(async () => void silent.close())
    const { port } = silent.address() as { port: number }
    const { tracing, log } = await traced({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_TIMEOUT: '3600000',
      OTEL_BSP_EXPORT_TIMEOUT: '3600000',
    })
    tracing?.startRequest({ ...request, headers: {} })?.end({ status: 200, cut: false })
    await tracing?.close()
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { reason: expect.stringContaining('did not answer') } }])
  })
})
