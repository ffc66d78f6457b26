// Reads the body a route expects, and refuses any other.
import type { ZodObject, ZodType } from 'zod'
import { hasBody } from '../answer/drain.ts'
import type { LiveExchange } from '../exchange.ts'
import { type Form, readForm } from '../form/multipart.ts'
import type { AnyCallers, IncomingFile, MultipartBody, Route } from '../route.ts'
import { versionOf } from '../routing/request-version.ts'
import { refuseNul } from '../validation/nul.ts'
import { acceptsNothing, checkInput, nothing, strict } from '../validation/validation.ts'
import { readBytes } from './body-bytes.ts'
import { FramedBody } from './framed-body.ts'
import { readJson } from './json-body.ts'
import { jsonLimits } from './json-limits.ts'

export interface BodyRules {
  json: ZodType | undefined
  /** An empty body stands for nothing where the schema takes that, for an empty object elsewhere. */
  isOptional: boolean
  multipart: (MultipartBody<ZodObject> & { strictFields: ZodType }) | undefined
  isStream?: boolean
}

export function bodyRules(body: Route<AnyCallers>['body']): BodyRules {
  if (body === undefined) return { json: undefined, isOptional: true, multipart: undefined }
  if (body === 'stream') return { json: undefined, isOptional: true, multipart: undefined, isStream: true }
  if ('kind' in body && body.kind === 'multipart') {
    return { json: undefined, isOptional: false, multipart: { ...body, strictFields: strict(body.fields) } }
  }
  const json = body as ZodType
  return { json, isOptional: acceptsNothing(json), multipart: undefined }
}

/** Most requests: nothing is expected, and nothing came. */
export const isWithoutBody = (exchange: LiveExchange, rules: BodyRules): boolean =>
  rules.json === undefined &&
  rules.multipart === undefined &&
  !rules.isStream &&
  !hasBody(exchange.request) &&
  versionOf(exchange) === undefined

/** Sets `exchange.body`; returns the files that came with it. */
export async function readBody(
  exchange: LiveExchange,
  { route, body: rules }: { route: Route<AnyCallers>; body: BodyRules },
): Promise<IncomingFile[] | undefined> {
  if (rules.multipart !== undefined) return readFiles(exchange, rules.multipart)
  if (rules.isStream) {
    exchange.body = exchange.openBody()
    return undefined
  }
  if (rules.json === undefined && exchange.host.service.isLenient) {
    if (route.response === 'raw') await skipBody(exchange)
    return undefined
  }
  if (isWithoutBody(exchange, rules)) return undefined
  const value = adapted(exchange, route, await readValue(exchange, route, rules.json))
  if (rules.json === undefined) {
    if (value !== undefined) checkInput(nothing, value, 'body', exchange.host.service.errors)
    return undefined
  }
  const given = value === undefined && !rules.isOptional ? {} : value
  exchange.body = checkInput(rules.json, given, 'body', exchange.host.service.errors)
  return undefined
}

/** Whoever takes the connection must not take a body that nobody asked for (dockerode sends one) for the first bytes. */
async function skipBody(exchange: LiveExchange): Promise<void> {
  const { service, timeouts } = exchange.host
  const length = Number(exchange.headers['content-length'] ?? 0)
  if (length > service.maxJsonBytes) throw service.errors.bodyTooLarge(service.maxJsonBytes)
  if (length > 0) await readBytes(exchange.openBody(), { maxBytes: service.maxJsonBytes, idleMs: timeouts.idleBodyMs })
  else if (exchange.source instanceof FramedBody) exchange.source.dropEmpty()
}

function adapted(exchange: LiveExchange, route: Route<AnyCallers>, value: unknown): unknown {
  const version = versionOf(exchange)
  return version === undefined ? value : exchange.host.service.versions?.body(route, version, value)
}

async function readValue(exchange: LiveExchange, route: Route<AnyCallers>, schema: ZodType | undefined) {
  const { service, timeouts } = exchange.host
  const limits = { ...jsonLimits(service, route), idleMs: timeouts.idleBodyMs }
  const isThere = hasBody(exchange.request)
  if (service.readJson !== undefined && schema !== undefined) {
    const { headers, openBody } = exchange
    const name = `${route.method} ${route.path}`
    return service.readJson({ ...limits, headers, openBody, name, hasBody: isThere, schema })
  }
  return isThere ? readJson(exchange, { ...limits, errors: service.errors }) : undefined
}

async function readFiles(
  exchange: LiveExchange,
  { file, optionalFiles = [], maxFileBytes, fields, strictFields }: NonNullable<BodyRules['multipart']>,
): Promise<IncomingFile[]> {
  const { service, blobs, timeouts } = exchange.host
  const { errors } = service
  const rules = { file, optionalFiles, maxFileBytes, known: Object.keys(fields.shape) }
  const context = { errors, blobs, idleMs: timeouts.idleBodyMs }
  const form = await readForm(exchange, rules, context)
  try {
    refuseNul(form.fields, 'body', errors)
    const checked = checkInput(strictFields, form.fields, 'body', errors)
    exchange.body = { fields: checked, file: form.file, optionalFiles: form.optionalFiles }
    return filesOf(form)
  } catch (error) {
    for (const { blob } of filesOf(form)) await blobs.remove(blob.key)
    throw error
  }
}

const filesOf = ({ file, optionalFiles }: Form): IncomingFile[] => [file, ...Object.values(optionalFiles)]
