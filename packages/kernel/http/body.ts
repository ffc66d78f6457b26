// Reads the body a route expects, and refuses any other.
import type { ZodObject, ZodType } from 'zod'
import { hasBody } from './drain.ts'
import type { LiveExchange } from './exchange.ts'
import type { AnyCallers } from './host.ts'
import { readJson } from './json-body.ts'
import { readForm } from './multipart.ts'
import { refuseNul } from './nul.ts'
import type { IncomingFile, MultipartBody, Route } from './route.ts'
import { acceptsNothing, checkInput, nothing, strict } from './validation.ts'

export interface BodyRules {
  json: ZodType | undefined
  /** An empty body stands for nothing where the schema takes that, for an empty object elsewhere. */
  isOptional: boolean
  multipart: (MultipartBody<ZodObject> & { strictFields: ZodType }) | undefined
}

export function bodyRules(body: Route<AnyCallers>['body']): BodyRules {
  if (body === undefined) return { json: undefined, isOptional: true, multipart: undefined }
  if ('kind' in body && body.kind === 'multipart') {
    return { json: undefined, isOptional: false, multipart: { ...body, strictFields: strict(body.fields) } }
  }
  const json = body as ZodType
  return { json, isOptional: acceptsNothing(json), multipart: undefined }
}

/** Sets `exchange.body`; returns the file that came with it. */
export async function readBody(exchange: LiveExchange, rules: BodyRules): Promise<IncomingFile | undefined> {
  if (rules.multipart !== undefined) return readFile(exchange, rules.multipart)
  const value = hasBody(exchange.request) ? await readValue(exchange) : undefined
  if (rules.json === undefined) {
    if (value !== undefined) checkInput(nothing, value, 'body', exchange.host.service.errors)
    return undefined
  }
  const given = value === undefined && !rules.isOptional ? {} : value
  exchange.body = checkInput(rules.json, given, 'body', exchange.host.service.errors)
  return undefined
}

function readValue(exchange: LiveExchange): Promise<unknown> {
  const { service, timeouts } = exchange.host
  const { errors, maxJsonBytes } = service
  return readJson(exchange, { errors, maxJsonBytes, idleMs: timeouts.idleBodyMs })
}

async function readFile(
  exchange: LiveExchange,
  { file, maxFileBytes, fields, strictFields }: NonNullable<BodyRules['multipart']>,
): Promise<IncomingFile> {
  const { service, blobs, timeouts } = exchange.host
  const { errors } = service
  const rules = { file, maxFileBytes, known: Object.keys(fields.shape) }
  const context = { errors, blobs, idleMs: timeouts.idleBodyMs }
  const form = await readForm(exchange, rules, context)
  try {
    refuseNul(form.fields, 'body', errors)
    exchange.body = { fields: checkInput(strictFields, form.fields, 'body', errors), file: form.file }
    return form.file
  } catch (error) {
    await blobs.remove(form.file.blob.key)
    throw error
  }
}
