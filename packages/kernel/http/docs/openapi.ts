// The OpenAPI 3.1 document of a service, from the very schemas that check its requests.
import type { ZodObject, ZodType } from 'zod'
import { isPublic } from '../body/json-limits.ts'
import type { AnyService } from '../host.ts'
import type { AnyCallers, MultipartBody, Route } from '../route.ts'
import type { SocketRoute } from '../service.ts'
import { objectProperties, SchemaCollection } from './json-schema.ts'

type Json = Record<string, unknown>

export function openApiDocument(service: AnyService): Json {
  const schemas = new SchemaCollection()
  const paths: Record<string, Json> = {}
  for (const route of service.routes) {
    const path = openApiPath(route.path)
    const method = route.method.toLowerCase()
    const first = paths[path]?.[method] as Json | undefined
    const described = first === undefined ? operation(route, schemas) : withVariant(first, route, schemas)
    paths[path] = { ...paths[path], [method]: described }
  }
  for (const socket of service.sockets ?? []) {
    if (socket.isInternal) continue
    const path = openApiPath(socket.path)
    paths[path] = { ...paths[path], get: socketOperation(socket, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: { title: service.title, version: service.version },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: schemas.components,
      securitySchemes: securitySchemes(service),
      responses: { Error: errorResponse(service) },
    },
  }
}

/** OpenAPI has one operation for a method and path: the first variant; the others stand beside it. */
function withVariant(first: Json, route: Route<AnyCallers>, schemas: SchemaCollection): Json {
  const { variant = '' } = route
  return { ...first, 'x-variants': { ...(first['x-variants'] as Json), [variant]: operation(route, schemas) } }
}

const openApiPath = (path: string): string => path.replace(/:(\w+)/g, '{$1}').replace(/\*/g, '{rest}')

function operation(route: Route<AnyCallers>, schemas: SchemaCollection): Json {
  const id = operationId(route.method, route.path) + (route.variant === undefined ? '' : `_${route.variant}`)
  return {
    operationId: id,
    summary: route.summary,
    tags: [tagOf(route.path)],
    security: security(route.auth),
    ...parametersOf(route, schemas, id),
    ...requestBody(route.body, schemas, id),
    responses: { ...response(route, schemas, id), default: { $ref: '#/components/responses/Error' } },
  }
}

function socketOperation(socket: SocketRoute<AnyCallers>, schemas: SchemaCollection): Json {
  const id = operationId('connect', socket.path)
  return {
    operationId: id,
    summary: `${socket.summary} (WebSocket)`,
    tags: [tagOf(socket.path)],
    security: security(socket.auth),
    ...parametersOf({ ...socket, params: undefined }, schemas, id),
    responses: {
      101: { description: 'The connection speaks WebSocket.' },
      default: { $ref: '#/components/responses/Error' },
    },
  }
}

/** `POST /v1/files/:file_id/content` → `post_files_file_id_content`. */
const operationId = (method: string, path: string): string =>
  [method.toLowerCase(), ...path.split(/\W+/).filter((word) => word !== '' && !/^v\d/.test(word))].join('_')

/** The first segment that names something: `/v1/files/:id` → `files`. */
const tagOf = (path: string): string =>
  path.split('/').find((word) => /^[a-z_]/i.test(word) && !/^v\d/.test(word)) ?? ''

const security = (auth: string): Json[] => (isPublic(auth) ? [] : [{ [auth]: [] }])

function securitySchemes({ routes, sockets = [] }: AnyService): Json {
  const kinds = [...new Set([...routes, ...sockets].map(({ auth }) => auth))].filter((auth) => !isPublic(auth))
  return Object.fromEntries(
    kinds.map((auth) => [auth, { type: 'http', scheme: 'bearer', description: `A key of kind '${auth}'.` }]),
  )
}

interface Parameters {
  path: string
  params: ZodType | undefined
  query: ZodType | undefined
}

function parametersOf({ path, params, query }: Parameters, schemas: SchemaCollection, id: string): Json {
  const known = objectProperties(params)
  const inPath = [...openApiPath(path).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: known[name] === undefined ? { type: 'string' } : schemas.add(known[name], 'output', `${id}_${name}`),
  }))
  const inQuery = Object.entries(objectProperties(query)).map(([name, schema]) => ({
    name,
    in: 'query',
    required: !schema.safeParse(undefined).success,
    schema: schemas.add(schema, 'output', `${id}_${name}`),
  }))
  const parameters = [...inPath, ...inQuery]
  return parameters.length === 0 ? {} : { parameters }
}

function requestBody(body: Route<AnyCallers>['body'], schemas: SchemaCollection, id: string): Json {
  if (body === undefined) return {}
  if (body === 'stream') return { requestBody: { content: { 'application/octet-stream': {} } } }
  if (isMultipart(body)) {
    return { requestBody: { required: true, content: { 'multipart/form-data': form(body, schemas, id) } } }
  }
  const required = !body.safeParse(undefined).success
  const schema = schemas.add(body, 'input', `${id}_request`)
  return { requestBody: { required, content: { 'application/json': { schema } } } }
}

const isMultipart = (body: ZodType | MultipartBody<ZodObject>): body is MultipartBody<ZodObject> =>
  'kind' in body && body.kind === 'multipart'

function form(body: MultipartBody<ZodObject>, schemas: SchemaCollection, id: string): Json {
  const { fields, file, optionalFiles = [] } = body
  const schema = schemas.add(fields, 'input', `${id}_form`)
  const files = [file, ...optionalFiles].map((name) => [name, { type: 'string', format: 'binary' }])
  const properties = { ...(schema.properties as Json), ...Object.fromEntries(files) }
  const required = [...((schema.required as string[] | undefined) ?? []), file]
  return { schema: { ...schema, properties, required, additionalProperties: false } }
}

const responseTypes = {
  bytes: 'application/octet-stream',
  events: 'text/event-stream',
  raw: 'application/octet-stream',
}

function response(route: Route<AnyCallers>, schemas: SchemaCollection, id: string): Json {
  const { response: answer, status, summary } = route
  if (answer === 'raw') return { 101: { description: 'The connection carries raw bytes.' } }
  if (typeof answer === 'string') {
    return { 200: { description: summary, content: { [responseTypes[answer]]: { schema: { type: 'string' } } } } }
  }
  const schema = schemas.add(answer, 'input', `${id}_response`)
  return { [status]: { description: summary, content: { 'application/json': { schema } } } }
}

/** The shape of the service's errors, read off one of them. */
function errorResponse({ errors }: AnyService): Json {
  const example = errors.badRequest('What was wrong with the request.').body
  return { description: 'An error.', content: { 'application/json': { schema: shapeOf(example), example } } }
}

function shapeOf(value: unknown): Json {
  if (typeof value !== 'object' || value === null) return value === null ? {} : { type: typeof value }
  const properties = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]))
  return { type: 'object', required: Object.keys(value), properties }
}
