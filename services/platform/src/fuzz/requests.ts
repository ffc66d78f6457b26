// Requests of every shape a network can bring, for each route: right, nearly right, and hopeless.
import type { Route } from '@atoll/kernel/http/route'
import fc from 'fast-check'
import type { z } from 'zod'
import type { PlatformCallers } from '../callers.ts'
import { anything, nearlyFitting } from './near-valid.ts'

export interface WildRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer | undefined
}

const boundary = 'fuzz'
const segment = fc.oneof(
  fc.constantFrom('file-x', 'upload_x', 'gpt-4o', '%', '%zz', '%00', '%2e%2e', '..', '%20', '', '%ff', 'a%2Fb'),
  fc.string({ unit: 'grapheme-ascii', maxLength: 40 }).map(encodeURIComponent),
  fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.string({ minLength: 200, maxLength: 2000, unit: fc.constantFrom('a', 'b') }),
)

const queryPart = fc
  .tuple(
    fc.constantFrom('limit', 'after', 'before', 'order', 'purpose', 'x', 'limit[]', 'limit[a]', '__proto__', '%zz', ''),
    fc.oneof(fc.constantFrom('1', '0', '-1', 'asc', 'desc', '1e9', '%', '%00', '', 'NaN'), segment),
  )
  .map(([name, value]) => `${name}=${value}`)

const query = fc.array(queryPart, { maxLength: 6 }).map((parts) => (parts.length > 0 ? `?${parts.join('&')}` : ''))

const pathOf = (pattern: string): fc.Arbitrary<string> => {
  const holes = pattern.match(/:\w+/g)?.length ?? 0
  return fc
    .tuple(fc.array(segment, { minLength: holes, maxLength: holes }), query)
    .map(([segments, tail]) => pattern.replace(/:\w+/g, () => segments.shift() ?? '') + tail)
}

const contentTypes = fc.constantFrom(
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'multipart/form-data',
  `multipart/form-data; boundary=${boundary}`,
  'multipart/form-data; boundary=',
  'garbage',
  'application/json; charset=latin9',
)

const jsonBody = (schema: z.ZodType | undefined): fc.Arbitrary<Buffer> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: (schema ? nearlyFitting(schema) : anything).map((value) => Buffer.from(JSON.stringify(value) ?? '')),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 3000 }).map((depth) => Buffer.from('['.repeat(depth))) },
  )

const formPart = fc
  .record({
    name: fc.constantFrom('file', 'data', 'purpose', 'x', '', 'fi"le', '__proto__'),
    filename: fc.option(fc.constantFrom('a.jsonl', '', '../../x', 'ü', 'x'.repeat(400)), { nil: undefined }),
    value: fc.oneof(fc.constantFrom('assistants', 'batch', 'nope', ''), fc.string({ unit: 'binary', maxLength: 300 })),
    lineEnd: fc.constantFrom('\r\n', '\r\n', '\r\n', '\n'),
  })
  .map(({ name, filename, value, lineEnd }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`
    return `--${boundary}${lineEnd}content-disposition: form-data; name="${name}"${file}${lineEnd}${lineEnd}${value}${lineEnd}`
  })

/** Cut anywhere: a truncated form is the rule on bad networks. */
const formBody = fc
  .tuple(
    fc.array(formPart, { maxLength: 5 }),
    fc.constantFrom(`--${boundary}--\r\n`, `--${boundary}--`, ''),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.boolean(),
  )
  .map(([parts, end, at, whole]) => {
    const text = Buffer.from(parts.join('') + end)
    return whole ? text : text.subarray(0, Math.floor(text.length * at))
  })

const oddHeaders = fc.dictionary(
  fc.constantFrom(
    'openai-organization',
    'vendor-project',
    'range',
    'accept',
    'content-encoding',
    'x-y',
    'expect',
    'upgrade',
    'if-none-match',
  ),
  fc.constantFrom('', 'x', 'gzip', 'bytes=0-', 'bytes=9-1', '100-continue', 'websocket', 'é', 'a'.repeat(4000)),
  { maxKeys: 2 },
)

export function wildRequest(route: Route<PlatformCallers>, apiKey: string): fc.Arbitrary<WildRequest> {
  const multipart = typeof route.body === 'object' && 'kind' in route.body && route.body.kind === 'multipart'
  const schema = multipart ? undefined : (route.body as z.ZodType | undefined)
  const takesBody = route.method === 'POST'
  const usual = multipart ? `multipart/form-data; boundary=${boundary}` : 'application/json'
  return fc
    .record({
      method: fc.oneof(
        { weight: 12, arbitrary: fc.constant(route.method as string) },
        { weight: 1, arbitrary: fc.constantFrom('PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS') },
      ),
      path: pathOf(route.path),
      type: fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: contentTypes }),
      authorization: fc.oneof(
        { weight: 12, arbitrary: fc.constant(`Bearer ${apiKey}`) },
        {
          weight: 1,
          arbitrary: fc.constantFrom('', 'Bearer', 'Bearer x', 'Basic Og==', 'Basic %', apiKey, 'Bearer \t'),
        },
      ),
      odd: fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: oddHeaders }),
      body: takesBody
        ? multipart
          ? formBody
          : jsonBody(schema)
        : fc.option(jsonBody(undefined), { freq: 8, nil: undefined }),
    })
    .map(({ method, path, type, authorization, odd, body }) => ({
      method,
      path,
      headers: {
        authorization,
        ...(body ? { 'content-type': type } : {}),
        ...(route.variant === undefined ? {} : { 'openai-beta': `assistants=${route.variant}` }),
        ...(odd as Record<string, string>),
      },
      body,
    }))
}
