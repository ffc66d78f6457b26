// A small service that uses every feature of the server, for its tests.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { BlobStore } from '../../blobs/blobs.ts'
import { createLocalDisk } from '../../blobs/local-disk.ts'
import { systemClock } from '../../clock/clock.ts'
import { createIds } from '../../ids/ids.ts'
import type { Log } from '../../telemetry/log.ts'
import { type ErrorCatalogue, HttpError } from '../error.ts'
import { listen } from '../listen.ts'
import type { Listener, ListenOptions } from '../options.ts'
import { pageQuery } from '../query.ts'
import { multipart, type Route, routeDefiner } from '../route.ts'
import type { HttpService, SocketRoute } from '../service.ts'

export interface SampleCallers {
  anyone: undefined
  user: { name: string }
}

const failure = (status: number, code: string, message: string, rest: object = {}, headers = {}) =>
  new HttpError(status, message, { error: { code, message, ...rest } }, headers)

export const sampleErrors: ErrorCatalogue = {
  invalid: (issue) => failure(400, `invalid_${issue.kind}`, issue.message, { param: issue.param, issue }),
  invalidJson: () => failure(400, 'invalid_json', 'Not JSON.'),
  jsonTooDeep: (maxDepth) => failure(400, 'too_deep', `Deeper than ${maxDepth}.`),
  invalidMultipart: (reason) => failure(400, 'invalid_multipart', reason),
  unsupportedContentType: (received, expected) => failure(415, 'content_type', `${received}, not ${expected}`),
  unsupportedContentEncoding: (received) => failure(415, 'content_encoding', received),
  bodyTooLarge: (maxBytes) => failure(413, 'body_too_large', `More than ${maxBytes}.`),
  fileTooLarge: (param, maxBytes) => failure(413, 'file_too_large', `More than ${maxBytes}.`, { param }),
  bodyTooSlow: () => failure(408, 'too_slow', 'Too slow.'),
  unknownUrl: (method, path) => failure(404, 'unknown_url', `${method} ${path}`),
  methodNotAllowed: (method, path, allowed) => failure(405, 'method', `${method} ${path}, not ${allowed}`),
  badRequest: (reason) => failure(400, 'bad_request', reason),
  rangeNotSatisfiable: (size) => failure(416, 'range', `Of ${size}.`, {}, { 'content-range': `bytes */${size}` }),
  storageFull: () => failure(507, 'storage_full', 'Full.'),
  unavailable: (seconds) => failure(503, 'unavailable', 'Later.', {}, { 'retry-after': String(seconds) }),
  internal: (requestId) => failure(500, 'internal', `See ${requestId}.`),
}

export const defineRoute = routeDefiner<SampleCallers>()

export class LogRecorder implements Log {
  readonly lines: { level: string; fields: Record<string, unknown>; message: string }[] = []
  readonly #bound: object

  constructor(bound: object = {}, lines: LogRecorder['lines'] = []) {
    this.#bound = bound
    this.lines = lines
  }

  debug = (fields: object, message: string) => this.#add('debug', fields, message)
  info = (fields: object, message: string) => this.#add('info', fields, message)
  warn = (fields: object, message: string) => this.#add('warn', fields, message)
  error = (fields: object, message: string) => this.#add('error', fields, message)
  child = (fields: object) => new LogRecorder({ ...this.#bound, ...fields }, this.lines)

  #add(level: string, fields: object, message: string): void {
    this.lines.push({ level, fields: { ...this.#bound, ...fields }, message })
  }
}

const Part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('image_url'), image_url: z.strictObject({ url: z.string() }) }),
])
const Message = z.strictObject({ role: z.enum(['user', 'system']), content: z.union([z.string(), z.array(Part)]) })
export const ChatRequest = z.strictObject({
  messages: z.array(Message).min(1),
  temperature: z.number().min(0).max(2).optional(),
  n: z.int().min(1).max(128).default(1),
})

export const sampleRoutes: Route<SampleCallers>[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/things/:thing_id',
    auth: 'user',
    summary: 'Retrieve a thing',
    params: z.object({ thing_id: z.string() }),
    response: z.object({ id: z.string(), owner: z.string() }),
    handler: ({ params, caller, setHeader }) => {
      setHeader('X-Thing', 'yes')
      return { id: params.thing_id, owner: caller.name }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/things',
    auth: 'user',
    summary: 'List things',
    query: pageQuery({ maxLimit: 100, defaultLimit: 20 }),
    response: z.object({ limit: z.number(), order: z.string(), after: z.string().optional() }),
    handler: ({ query }) => ({ limit: query.limit, order: query.order, after: query.after }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/things/:thing_id',
    auth: 'user',
    summary: 'Delete a thing',
    params: z.object({ thing_id: z.string() }),
    response: z.object({ deleted: z.literal(true) }),
    handler: () => ({ deleted: true as const }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/chat',
    auth: 'user',
    summary: 'Echo a chat',
    body: ChatRequest,
    response: ChatRequest,
    status: 201,
    handler: ({ body }) => body,
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/files',
    auth: 'user',
    summary: 'Upload a file',
    body: multipart({
      fields: z.object({ purpose: z.enum(['batch', 'fail', 'refuse']) }),
      file: 'file',
      maxFileBytes: 1_000_000,
    }),
    response: z.object({ filename: z.string(), bytes: z.number(), type: z.string(), key: z.string() }),
    handler: ({ body: { fields, file } }) => {
      if (fields.purpose === 'fail') throw new Error('The handler failed')
      if (fields.purpose === 'refuse') throw sampleErrors.badRequest('No.')
      return { filename: file.filename, bytes: file.blob.bytes, type: file.mimeType, key: file.blob.key }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/boom',
    auth: 'anyone',
    summary: 'Fail',
    response: z.object({}),
    handler: () => {
      throw new TypeError('secret detail')
    },
  }),
]

export interface Sample {
  listener: Listener
  url: string
  log: LogRecorder
  blobs: BlobStore
  blobFolder: string
  /** Keys of all blobs, finished or not. */
  blobKeys(): Promise<string[]>
  stop(): Promise<void>
}

export interface SampleChanges {
  routes?: Route<SampleCallers>[]
  sockets?: SocketRoute<SampleCallers>[]
  service?: Partial<HttpService<SampleCallers>>
  options?: Partial<ListenOptions>
}

export async function startSample(changes: SampleChanges = {}): Promise<Sample> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-http-'))
  const log = new LogRecorder()
  const ids = createIds(systemClock)
  const blobs = await createLocalDisk(join(folder, 'blobs'), systemClock, ids)
  const listener = await listen(sampleService(changes), {
    address: { host: '127.0.0.1', port: 0 },
    blobs,
    ids,
    clock: systemClock,
    log,
    checkResponses: true,
    health: { ready: async () => undefined },
    ...changes.options,
  }).catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true })
    throw error
  })
  return {
    listener,
    url: listener.url,
    log,
    blobs,
    blobFolder: folder,
    async blobKeys() {
      const keys: string[] = []
      for await (const { key } of blobs.list()) keys.push(key)
      return keys
    },
    async stop() {
      await listener.close(0)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export function sampleService(changes: SampleChanges): HttpService<SampleCallers> {
  return {
    name: 'sample',
    title: 'Sample',
    version: '1.2.3',
    errors: sampleErrors,
    routes: [...sampleRoutes, ...(changes.routes ?? [])],
    sockets: changes.sockets ?? [],
    async authenticate(head, auth) {
      if (auth === 'anyone') return undefined
      const [, name] = /^Bearer (\w+)$/.exec(head.headers.authorization ?? '') ?? []
      if (name === undefined) throw failure(401, 'no_key', 'Who are you?')
      return { name }
    },
    responseHeaders: ({ caller }) => ({ 'x-caller': (caller as { name: string } | undefined)?.name ?? 'nobody' }),
    maxJsonBytes: 10_000,
    ...changes.service,
  }
}

export const asUser = { authorization: 'Bearer ada' }
