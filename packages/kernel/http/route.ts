// The one way to make a route. A service fixes its kinds of callers once:
//   export const defineRoute = routeDefiner<PlatformCallers>()
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { ZodObject, ZodType, z } from 'zod'
import type { StoredBlob } from '../blobs/blobs.ts'
import type { Log } from '../telemetry/log.ts'
import type { Reply } from './reply.ts'

/** The kinds of callers are the service's own affair; the server hands them through unread. */
export type AnyCallers = Record<string, unknown>

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What is known of a request before its body is read. */
export interface RequestHead {
  /** `req_` and 32 hexadecimal digits; also in the x-request-id response header and in every log line. */
  id: string
  method: string
  /** Without the query. */
  path: string
  headers: IncomingHttpHeaders
  /** The caller's network address. */
  address: string
  /** Whether it came over TLS. */
  isEncrypted: boolean
}

export interface Exchange<Caller, Params, Query, Body> extends RequestHead {
  caller: Caller
  params: Params
  query: Query
  body: Body
  /** Aborted when the client goes away before the response is complete. */
  signal: AbortSignal
  log: Log
  /** Names of the ways of older versions that this caller expects; empty where there are no versions. */
  ways: ReadonlySet<string>
  setHeader(name: string, value: string): void
}

export interface IncomingFile {
  /** Durable already. The kernel removes it again unless the handler succeeds. */
  blob: StoredBlob
  filename: string
  mimeType: string
}

/** A multipart/form-data body with text fields and a file, streamed to the blob store as it arrives. */
export interface MultipartBody<Fields extends ZodObject> {
  kind: 'multipart'
  fields: Fields
  /** The form name of the file. */
  file: string
  /** Form names of further files that may come, one each. */
  optionalFiles?: readonly string[]
  /** Of each. */
  maxFileBytes: number
}

export const multipart = <Fields extends ZodObject>(
  body: Omit<MultipartBody<Fields>, 'kind'>,
): MultipartBody<Fields> => ({
  kind: 'multipart',
  ...body,
})

/** A body that the handler reads itself, as it comes. */
export type StreamBody = 'stream'

export type BodyOf<B> = B extends StreamBody
  ? Readable
  : B extends MultipartBody<infer Fields>
    ? { fields: z.output<Fields>; file: IncomingFile; optionalFiles: Partial<Record<string, IncomingFile>> }
    : B extends ZodType
      ? z.output<B>
      : undefined

type OutputOf<S> = S extends ZodType ? z.output<S> : Record<string, never>

export interface RouteSpec<Callers, Auth extends keyof Callers, P, Q, B, R> {
  method: Method
  /** With `:name` for parameters: `/v1/files/:file_id`. */
  path: string
  /** Which kind of caller may use it; the service's `authenticate` decides. */
  auth: Auth
  /** One line for the OpenAPI document. */
  summary: string
  /** Several routes may share method and path when each has a variant; the service's `chooseVariant` decides. */
  variant?: string
  params?: P
  query?: Q
  /** Absent: a body is refused unless empty. `'stream'`: the handler reads it. */
  body?: B
  /** Its JSON body may be as large as the service takes at all: texts, images. */
  takesLargeJson?: boolean
  /** How many numbers its JSON body may hold, where they can be very many. */
  maxJsonNumbers?: number
  /** How many other values, and how many keys of one object, where these can be very many. */
  maxJsonValues?: number
  maxJsonKeys?: number
  /** The JSON answer; `'bytes'`, `'events'` (SSE) or `'raw'` (a hijacked connection) where it is none. */
  response: R
  /** Status of a plain JSON answer; 200 unless told. */
  status?: number
  handler(
    exchange: Exchange<Callers[Auth], OutputOf<P>, OutputOf<Q>, BodyOf<B>>,
  ): R extends ZodType ? Answer<z.input<R>> : Reply | Promise<Reply>
}

type Answer<T> = T | Reply | Promise<T | Reply>

/** A route with its types forgotten: what the server needs. */
export interface Route<Callers> {
  method: Method
  path: string
  auth: keyof Callers
  summary: string
  variant?: string
  params: ZodType | undefined
  query: ZodType | undefined
  body: ZodType | MultipartBody<ZodObject> | StreamBody | undefined
  takesLargeJson?: boolean
  maxJsonNumbers?: number
  maxJsonValues?: number
  maxJsonKeys?: number
  response: ZodType | 'bytes' | 'events' | 'raw'
  status: number
  handler(exchange: Exchange<unknown, unknown, unknown, unknown>): unknown
}

export function routeDefiner<Callers>() {
  return function defineRoute<
    Auth extends keyof Callers,
    R extends ZodType | 'bytes' | 'events' | 'raw',
    P extends ZodObject | undefined = undefined,
    Q extends ZodObject | undefined = undefined,
    B extends ZodType | MultipartBody<ZodObject> | StreamBody | undefined = undefined,
  >(spec: RouteSpec<Callers, Auth, P, Q, B, R>): Route<Callers> {
    return {
      ...spec,
      params: spec.params,
      query: spec.query,
      body: spec.body,
      status: spec.status ?? 200,
      handler: spec.handler as Route<Callers>['handler'],
    }
  }
}
