// Every error the engine gives: a status and a sentence. From version 1.24 on they are JSON, before that plain text.
import { type ErrorCatalogue, HttpError, type Issue } from '@atoll/kernel/http/error'

const error = (status: number, message: string): HttpError => new HttpError(status, message, { message })

/** What was asked for cannot be done as asked: the caller must change the request. */
export const invalidParameter = (message: string): HttpError => error(400, message)
/** All that is wrong with a request, told at once. */
export const invalidParameters = (problems: readonly string[]): HttpError => error(400, problems.join('\n'))
export const unauthorized = (message: string): HttpError => error(401, message)
export const forbidden = (message: string): HttpError => error(403, message)
export const noSuchContainer = (name: string): HttpError => error(404, `No such container: ${name}`)
export const noSuchImage = (name: string): HttpError => error(404, `No such image: ${name}`)
export const noSuchNetwork = (name: string): HttpError => error(404, `network ${name} not found`)
export const noSuchVolume = (name: string): HttpError => error(404, `get ${name}: no such volume`)
export const noSuchExec = (id: string): HttpError => error(404, `No such exec instance: ${id}`)
export const notFound = (message: string): HttpError => error(404, message)
export const isNotFound = (error: unknown): boolean => error instanceof HttpError && error.status === 404
/** The state of things does not allow it now. */
export const conflict = (message: string): HttpError => error(409, message)
export const isConflict = (error: unknown): boolean => error instanceof HttpError && error.status === 409
/** What was started did not come up: the runtime's own words. */
export const systemError = (message: string): HttpError => error(500, message)
/** The configuration of a container does not offer it. */
export const notImplemented = (message: string): HttpError => error(501, message)
/** A part outside (a registry, the runtime) did not answer in time or is not there. */
export const unavailable = (message: string): HttpError => error(503, message)
/** As docker says it on a machine that is in no swarm. */
export const notSwarmManagerWords =
  'This node is not a swarm manager. Use "docker swarm init" or "docker swarm join" to connect this node to swarm and try again.'
export const notSwarmManager = (): HttpError => error(503, notSwarmManagerWords)
/** Managers cannot agree: too few of them are there. */
export const noSwarmLeader = (): HttpError =>
  error(
    503,
    "The swarm does not have a leader. It's possible that too few managers are online. Make sure more than half of the managers are online.",
  )
export const notInSwarm = (): HttpError => error(503, 'This node is not part of a swarm')

const describe = (issue: Issue): string => {
  const { place, param, message } = issue
  if (place !== 'body') return `invalid ${param ?? place}: ${message}`
  return `invalid JSON: ${wrongType(issue) ?? (param === null ? message : `${param}: ${message}`)}`
}

/** What the field is in Go, by the words for what was expected here. */
const goTypes: [RegExp, string][] = [
  [/^a string/, 'string'],
  [/^an integer/, 'int64'],
  [/^a number/, 'float64'],
  [/^a boolean/, 'bool'],
  [/^an array of strings/, '[]string'],
  [/^an array/, '[]struct'],
  [/^an object/, 'struct'],
]

/** As Go's decoder says it; undefined where something else is wrong than the type. */
function wrongType({ kind, param, expected = '', received = '' }: Issue): string | undefined {
  const type = goTypes.find(([words]) => words.test(expected))?.[1]
  const [, given] = /\b(string|integer|number|boolean|array|object)\b/.exec(received) ?? []
  if (kind !== 'type' || type === undefined || given === undefined) return undefined
  const value = { integer: 'number', boolean: 'bool' }[given] ?? given
  const field = param === null ? 'Go value' : `Go struct field ${param.replace(/\[\d+\]/g, '')}`
  return `json: cannot unmarshal ${value} into ${field} of type ${type}`
}

export const kernelErrors: ErrorCatalogue = {
  invalid: (issue) => error(400, describe(issue)),
  invalidJson: () => error(400, 'invalid JSON: the body is not valid JSON'),
  jsonTooDeep: (maxDepth) => error(400, `invalid JSON: nested more than ${maxDepth} levels deep`),
  invalidMultipart: (reason) => error(400, reason),
  unsupportedContentType: (received, expected) =>
    error(400, `unsupported Content-Type header (${received}): must be '${expected}'`),
  unsupportedContentEncoding: (received) =>
    error(400, `the content encoding '${received}' is not supported; send the body as it is`),
  bodyTooLarge: (maxBytes) => error(413, `request body too large: at most ${maxBytes} bytes`),
  fileTooLarge: (param, maxBytes) => error(413, `${param} too large: at most ${maxBytes} bytes`),
  bodyTooSlow: () => error(408, 'the request body stopped coming'),
  unknownUrl: () => error(404, 'page not found'),
  methodNotAllowed: (method, path, allowed) =>
    error(405, `${method} is not allowed for ${path}; allowed: ${allowed.join(', ')}`),
  badRequest: (reason) => error(400, reason),
  rangeNotSatisfiable: (size) => error(416, `range not satisfiable: the whole has ${size} bytes`),
  storageFull: () => error(507, 'no space left on device'),
  unavailable: (retryAfterSeconds) =>
    new HttpError(
      503,
      'the engine is busy',
      { message: 'the engine is busy; try again later' },
      {
        'retry-after': String(retryAfterSeconds),
      },
    ),
  internal: (requestId) => error(500, `internal error (request ${requestId})`),
}
