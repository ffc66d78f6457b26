// Every error the cluster gives: a status, a sentence, and an `error_code` where the interface names one
// (MOD-026, MOD-027).
import { type ErrorCatalogue, HttpError, type Issue } from '@atoll/kernel/http/error'

function error(status: number, message: string, code?: string, headers?: Record<string, string>): HttpError {
  return new HttpError(status, message, code === undefined ? { message } : { error_code: code, message }, headers)
}

const seconds = (ms: number): string => String(Math.max(1, Math.ceil(ms / 1000)))

/** Parameters that are bad or missing (MOD-035, MOD-036). */
export const invalidParameter = (message: string): HttpError => error(400, message)

// Who is calling, and may they.
const challenge = 'Basic realm="Atoll cluster", charset="UTF-8", JWT realm="Atoll cluster"'
const unauthorized = (message: string): HttpError => error(401, message, undefined, { 'www-authenticate': challenge })
export const noCredentials = (): HttpError =>
  unauthorized(
    'Credentials are missing. Send the email and the password of a user (HTTP Basic), or "Authorization: JWT <token>".',
  )
export const badCredentials = (): HttpError => unauthorized('The email or the password is not right.')
export const badToken = (reason: string): HttpError =>
  unauthorized(`The token is not valid: ${reason}. Get a new one with POST /v1/users/authorize.`)
export const tokenNeeded = (): HttpError =>
  unauthorized('Only a token can be refreshed: send "Authorization: JWT <token>".')
export const unreadableCredentials = (): HttpError =>
  error(400, 'The Authorization header cannot be read. Expected "Basic <base64>" or "JWT <token>".')
export const tooManyAttempts = (retryAfterMs: number): HttpError =>
  error(429, `Too many failed log-ins. Try again in ${seconds(retryAfterMs)} s.`, undefined, {
    'retry-after': seconds(retryAfterMs),
  })
export const forbidden = (role: string, permission: string): HttpError =>
  error(403, `The role ${role} does not have the permission ${permission}, which this request takes.`)
export const onlyAdmins = (): HttpError =>
  error(403, 'Only an admin may change or delete an admin, or make a user one.')

// Users.
export const noSuchUser = (uid: number): HttpError => error(404, `There is no user ${uid}.`)
export const emailExists = (email: string): HttpError =>
  error(409, `A user with the email ${email} exists already.`, 'email_already_exists')
export const nameExists = (name: string): HttpError =>
  error(409, `A user with the name ${name} exists already.`, 'name_already_exists')
export const passwordNotComplex = (rule: string): HttpError => error(400, rule, 'password_not_complex')
export const samePassword = (): HttpError =>
  error(406, 'The new password is the same as the current one.', 'new_password_same_as_current')
export const lastAdmin = (): HttpError =>
  error(406, 'At least one user must have the role admin.', 'change_last_admin_role_not_allowed')

// Modules.
export const noSuchModule = (uid: string): HttpError => error(404, `There is no module ${uid}.`)
export const moduleInUse = (uid: string, by: readonly string[]): HttpError =>
  error(406, `Module ${uid} is in use by ${by.join(', ')}. Upgrade or delete what uses it first.`)
export const moduleNotGiven = (message: string): HttpError => error(400, message, 'no_module')
export const invalidModule = (message: string): HttpError => error(400, message, 'invalid_module')
export const moduleExists = (name: string, version: string): HttpError =>
  error(400, `Module ${name} ${version} is in the cluster already.`, 'module_exists')
export const releaseTooOld = (needed: string, release: string): HttpError =>
  error(400, `The module needs cluster release ${needed} or later; this is ${release}.`, 'min_redis_pack_version')
export const unknownCapabilities = (names: readonly string[]): HttpError =>
  error(
    400,
    `The module names capabilities that this cluster does not know: ${names.join(', ')}.`,
    'unsupported_module_capabilities',
  )
export const osNotSupported = (os: string): HttpError =>
  error(400, `The module is built for ${os}, and this cluster runs on Linux.`, 'os_not_supported')
export const dependenciesNotSupported = (names: readonly string[]): HttpError =>
  error(
    400,
    `The module wants ${names.join(', ')} to be fetched. Put what it needs into the module itself.`,
    'dependencies_not_supported',
  )
export const invalidDependencies = (message: string): HttpError => error(400, message, 'invalid_dependency_data')

// Databases.
export const noSuchDatabase = (uid: number): HttpError => error(404, `There is no database ${uid}.`) // MOD-033
export const commandRefused = (words: string): HttpError => error(400, words, 'command_refused')
export const noSuchShard = (uid: string): HttpError => error(404, `There is no shard ${uid}.`)
export const databaseNameExists = (name: string): HttpError =>
  error(409, `A database with the name ${name} exists already.`, 'name_already_exists')
export const portUnavailable = (port: number): HttpError =>
  error(409, `Port ${port} is in use already.`, 'port_unavailable')
export const noFreePort = (from: number, to: number): HttpError =>
  error(409, `All ports from ${from} to ${to} are in use. Name one with port.`, 'port_unavailable')
export const databaseBusy = (uid: number): HttpError =>
  error(409, `Database ${uid} is being changed by an action. Wait for its end: GET /v1/actions.`)
export const noEngine = (wanted: string, known: readonly string[]): HttpError =>
  error(400, `There is no engine ${wanted} on this node. There is: ${known.join(', ') || 'none'}.`)
export const moduleUnfit = (code: string, message: string): HttpError => error(406, message, code)
export const noRoom = (): HttpError => kernelErrors.storageFull()
/** In the server's own words. */
export const shardRefused = (words: string): HttpError =>
  error(406, `The server does not start: ${words}`, 'shard_failed')

// Actions, nodes.
export const noSuchAction = (uid: string): HttpError => error(404, `There is no action ${uid}.`)
export const actionRunning = (objectName: string, uid?: string): HttpError =>
  error(409, `Another action is running on ${objectName}. Wait for its end: GET /v1/actions/${uid ?? ''}`)
export const noSuchNode = (uid: number): HttpError => error(404, `There is no node ${uid}.`) // MOD-034

// Upgrades.
interface RefusedUpgrade {
  status: number
  error_code?: string
  message: string
}
/** All that speaks against it; the first decides the status and the code. Wrong parameters come first. */
export function upgradeRefused(problems: readonly RefusedUpgrade[]): HttpError {
  const ordered = [...problems].sort((one, other) => one.status - other.status)
  const { status = 400, error_code } = ordered[0] ?? {}
  const message = ordered.map((problem) => problem.message).join(' ')
  const body = { ...(error_code === undefined ? {} : { error_code }), message, problems: ordered }
  return new HttpError(status, message, body)
}
const ended = (status: number, words: string, code: string, actionUid: string, rolledBack: boolean): HttpError =>
  new HttpError(status, words, { error_code: code, message: words, action_uid: actionUid, rolled_back: rolledBack })
/** The canary did not come up: the arguments, or the data, are nothing this module takes. */
export const moduleRefused = (words: string, actionUid: string, rolledBack: boolean): HttpError =>
  ended(406, words, 'module_refused', actionUid, rolledBack)
export const upgradeFailed = (words: string, actionUid: string, rolledBack: boolean): HttpError =>
  ended(500, words, 'upgrade_failed', actionUid, rolledBack)
/** Nothing can be copied: make room, and ask again. */
export const upgradeWithoutRoom = (words: string, actionUid: string, rolledBack: boolean): HttpError =>
  ended(507, `No space is left on this machine. ${words}`, 'insufficient_storage', actionUid, rolledBack)
export const tooLateToCancel = (uid: string): HttpError =>
  error(409, `Action ${uid} cannot be cancelled any more: it has ended, or the old version is gone.`)
export const keyReused = (): HttpError =>
  error(409, 'This Idempotency-Key was used for another request. Use a new key.', 'idempotency_key_reused')

function describe({ kind, place, param, message, expected, received, unknown, supported }: Issue): string {
  const name = param ?? place
  if (kind === 'missing') return `Missing parameter: ${name}${expected === undefined ? '' : `, ${expected}`}.`
  if (kind === 'type') return `Invalid ${name}: expected ${expected}, got ${received}.`
  if (kind === 'value') return `Invalid ${name}: expected one of ${(supported ?? []).join(', ')}; got ${received}.`
  if (kind === 'too_big' || kind === 'too_small') return message // Names it already.
  if (kind !== 'unknown') return `Invalid ${name}: ${message}`
  if (message.includes('belongs in')) return message // A file under another name.
  const names = (unknown ?? []).map(({ name: each, nearest }) => each + (nearest ? ` (did you mean ${nearest}?)` : ''))
  return `Unknown ${place === 'query' ? 'query parameter' : 'field'}: ${names.slice(0, 10).join(', ')}.`
}

export const kernelErrors: ErrorCatalogue = {
  invalid: (issue) =>
    issue.kind === 'missing' && issue.param === 'module'
      ? moduleNotGiven(describe(issue))
      : error(400, describe(issue)),
  invalidJson: () => error(400, 'The body is not valid JSON.'),
  jsonTooDeep: (maxDepth) => error(400, `The JSON is nested more than ${maxDepth} levels deep.`),
  invalidMultipart: (reason) => error(400, `The form cannot be read. ${reason}`),
  unsupportedContentType: (received, expected) =>
    error(400, `Expected a body of type ${expected}, got ${received || 'none'}.`),
  unsupportedContentEncoding: (received) =>
    error(400, `The content encoding '${received}' is not supported; send the body as it is.`),
  bodyTooLarge: (maxBytes) => error(413, `The body may have ${maxBytes} bytes at most.`),
  fileTooLarge: (param, maxBytes) => error(413, `${param} may have ${maxBytes} bytes at most.`),
  bodyTooSlow: () => error(408, 'The body stopped coming.'),
  unknownUrl: (method, path) => error(404, `There is nothing at ${method} ${path}.`),
  methodNotAllowed: (method, path, allowed) =>
    error(405, `${method} is not allowed for ${path}; allowed: ${allowed.join(', ')}.`),
  badRequest: (reason) => error(400, reason),
  rangeNotSatisfiable: (size) => error(416, `The whole has ${size} bytes.`),
  storageFull: () => error(507, 'No space is left on this machine.'),
  unavailable: (retryAfterSeconds) =>
    error(503, 'The cluster is busy. Try again later.', undefined, { 'retry-after': String(retryAfterSeconds) }),
  internal: (requestId) => error(500, `An internal error, logged under request ${requestId}.`),
}
