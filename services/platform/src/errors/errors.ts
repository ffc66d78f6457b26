// Every error the platform can give: status, type, code, param and words in one place.
import { type ErrorCatalogue, HttpError, type Issue } from '@atoll/kernel/http/error'
import { issueError } from './issue-error.ts'

interface ErrorFields {
  message: string
  type?: string
  param?: string | null
  code?: string | null
}

export function platformError(status: number, fields: ErrorFields, headers: Record<string, string> = {}): HttpError {
  const { message, type = 'invalid_request_error', param = null, code = null } = fields
  return new HttpError(status, message, { error: { message, type, param, code } }, headers)
}

const serverError = (status: number, message: string, headers: Record<string, string> = {}): HttpError =>
  platformError(status, { message, type: 'server_error' }, headers)

const list = (names: readonly string[]): string => names.join(', ')

/** What the kernel asks for. */
export const kernelErrors: ErrorCatalogue = {
  invalid: (issue: Issue) => platformError(400, issueError(issue)),
  invalidJson: () =>
    platformError(400, {
      message:
        'We could not parse the JSON body of your request. (HINT: This likely means you are not using your HTTP library correctly. A JSON payload is expected, but what was sent was not valid JSON.)',
    }),
  jsonTooDeep: (maxDepth) =>
    platformError(400, { message: `The JSON body of your request is nested more than ${maxDepth} levels deep.` }),
  invalidMultipart: (reason) =>
    platformError(400, { message: `We could not parse the multipart form of your request: ${reason}` }),
  unsupportedContentType: (received, expected) =>
    platformError(415, {
      message: `Unsupported content type: '${received}'. This method only accepts '${expected}' requests. Please try again with a supported content type.`,
      code: 'unsupported_content_type',
    }),
  unsupportedContentEncoding: (received) =>
    platformError(
      415,
      {
        message: `Unsupported content encoding: '${received}'. Send the body as it is, without compression.`,
        code: 'unsupported_content_encoding',
      },
      { 'accept-encoding': 'identity' },
    ),
  bodyTooLarge: (maxBytes) =>
    platformError(413, {
      message: `The request body is too large: at most ${maxBytes} bytes are accepted.`,
      code: 'request_too_large',
    }),
  fileTooLarge: (param, maxBytes) =>
    platformError(413, {
      message: `The content of '${param}' is too large: at most ${maxBytes} bytes are accepted.`,
      param,
      code: 'file_too_large',
    }),
  bodyTooSlow: () =>
    platformError(408, {
      message: 'The request body stopped arriving. Please send the request again.',
      code: 'request_timeout',
    }),
  unknownUrl: (method, path) =>
    platformError(404, {
      message: `Unknown request URL: ${method} ${path}. Please check the URL for typos, or see the list of operations at /docs.`,
      code: 'unknown_url',
    }),
  methodNotAllowed: (method, path, allowed) =>
    platformError(
      405,
      {
        message: `Not allowed to ${method} on ${path}. Allowed: ${list(allowed)}. (HINT: Perhaps you meant to use a different HTTP method?)`,
        code: 'method_not_supported',
      },
      { allow: list(allowed) },
    ),
  badRequest: (reason) => platformError(400, { message: reason }),
  rangeNotSatisfiable: (size) =>
    platformError(
      416,
      { message: `The requested range lies outside the file's ${size} bytes.`, code: 'range_not_satisfiable' },
      { 'content-range': `bytes */${size}` },
    ),
  storageFull: () => serverError(507, 'The disk of this server is full. Free some space, then send the request again.'),
  unavailable: (retryAfterSeconds) =>
    serverError(503, 'The server is not ready to answer. Please try again in a moment.', {
      'retry-after': String(retryAfterSeconds),
    }),
  internal: (requestId) =>
    serverError(
      500,
      `The server had an error while processing your request. The log of this server tells more under request id ${requestId}.`,
    ),
}

/** Who is calling, and what may they do. */
export const accessErrors = {
  noKey: () =>
    platformError(401, {
      message:
        "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY), or as the password field (with blank username) of Basic auth. Atoll prints a key at its first start.",
    }),
  badKey: (redacted: string) =>
    platformError(401, {
      message: `Incorrect API key provided: ${redacted}. Atoll prints a key at its first start.`,
      code: 'invalid_api_key',
    }),
  mismatchedOrganization: () =>
    platformError(401, {
      message: 'The organization header should match an organization of the API key.',
      code: 'mismatched_organization',
    }),
  mismatchedProject: () =>
    platformError(401, {
      message: 'The project header should match a project of the API key.',
      code: 'mismatched_project',
    }),
  adminKeyOnOrdinaryEndpoint: () =>
    platformError(403, {
      message: 'An admin key only works on /v1/organization endpoints. Use a project key here.',
      code: 'insufficient_permissions',
    }),
  ordinaryKeyOnAdminEndpoint: () =>
    platformError(403, {
      message: 'Endpoints under /v1/organization need an admin key.',
      code: 'insufficient_permissions',
    }),
  ownerOnly: (what: string) =>
    platformError(403, {
      message: `You have insufficient permissions for this operation: ${what} requires the Owner role in the organization.`,
      code: 'insufficient_permissions',
    }),
}

/** The header that says which form of the assistants interface is meant. */
export const betaErrors = {
  missing: () =>
    platformError(400, {
      message:
        "You must provide the 'OpenAI-Beta' header to access the Assistants API. Please try again by setting the header 'OpenAI-Beta: assistants=v2'.",
      code: 'invalid_beta',
    }),
  unknown: () =>
    platformError(400, {
      message:
        "Invalid value for the 'OpenAI-Beta' header. Please try again by setting the header 'OpenAI-Beta: assistants=v2' or 'OpenAI-Beta: assistants=v1'.",
      code: 'invalid_beta',
    }),
  notIn: (asked: string, served: readonly string[]) =>
    platformError(400, {
      message: `This operation is not part of 'assistants=${asked}'. Please try again by setting the header 'OpenAI-Beta: assistants=${list(served)}'.`,
      code: 'invalid_beta',
    }),
}

export const fileErrors = {
  noSuchFile: (id: string) => platformError(404, { message: `No such File object: ${id}`, param: 'id' }),
  notJsonLines: (purpose: string, param: string) =>
    platformError(400, {
      message: `Invalid file format for ${purpose === 'batch' ? 'Batch API' : 'Fine-tuning API'}. Must be .jsonl`,
      param,
      code: 'invalid_file_format',
    }),
  tooLargeForPurpose: (purpose: string, param: string, maxBytes: number) =>
    platformError(400, {
      message: `A file with purpose '${purpose}' may have at most ${maxBytes} bytes.`,
      param,
      code: 'file_too_large',
    }),
  organizationFull: (maxBytes: number) =>
    platformError(400, {
      message: `All files of an organization together may have at most ${maxBytes} bytes. Delete files you no longer need, then try again.`,
      code: 'storage_limit_exceeded',
    }),
}

export const batchErrors = {
  noSuchBatch: (id: string) => platformError(404, { message: `No batch found with id '${id}'.`, param: 'batch_id' }),
  wrongPurpose: (id: string, purpose: string) =>
    platformError(400, {
      message: `The file ${id} has the purpose '${purpose}'. Upload the requests with the purpose 'batch'.`,
      param: 'input_file_id',
      code: 'invalid_purpose',
    }),
  cannotCancel: (status: string) => platformError(409, { message: `Cannot cancel a batch with status '${status}'.` }),
}

export const uploadErrors = {
  noSuchUpload: (id: string) => platformError(404, { message: `No such Upload object: ${id}`, param: 'upload_id' }),
  notPending: (id: string, status: string, action: string) =>
    platformError(400, {
      message: `Cannot ${action} upload ${id}: its status is '${status}', and only a pending upload can be changed.`,
      code: 'upload_not_pending',
    }),
  noFilename: () =>
    platformError(400, {
      message: "Invalid value for 'filename': its last part is the name of the file, and there is none.",
      param: 'filename',
      code: 'invalid_value',
    }),
  mimeTypeRequired: (purpose: string) =>
    platformError(400, {
      message: `Missing required parameter: 'mime_type'. An upload with purpose '${purpose}' needs it.`,
      param: 'mime_type',
      code: 'missing_required_parameter',
    }),
  unknownParts: (ids: readonly string[]) =>
    platformError(400, {
      message: `The upload has no parts with these ids: ${list(ids.slice(0, 10))}.`,
      param: 'part_ids',
      code: 'invalid_value',
    }),
  repeatedPart: () =>
    platformError(400, {
      message: 'A part is listed more than once.',
      param: 'part_ids',
      code: 'invalid_value',
    }),
  wrongTotal: (declared: number, actual: number) =>
    platformError(400, {
      message: `The listed parts have ${actual} bytes in all, but the upload was created with bytes = ${declared}.`,
      param: 'part_ids',
      code: 'bytes_mismatch',
    }),
  wrongDigest: (expected: string, actual: string) =>
    platformError(400, {
      message: `The md5 of the listed parts is ${actual}, not ${expected}.`,
      param: 'md5',
      code: 'md5_mismatch',
    }),
  tooMuchData: (maxBytes: number) =>
    platformError(400, {
      message: `The parts of this upload may have at most ${maxBytes} bytes together, those not listed at completion included.`,
      param: 'data',
      code: 'upload_too_large',
    }),
  tooManyParts: (maxParts: number) =>
    platformError(400, {
      message: `An upload has at most ${maxParts} parts, those not listed at completion included. Send larger parts.`,
      param: 'data',
      code: 'too_many_parts',
    }),
}

export const modelErrors = {
  notFound: (id: string) =>
    platformError(404, {
      message: `The model '${id}' does not exist or you do not have access to it. GET /v1/models lists those that do; the setting platform.models adds others.`,
      param: 'model',
      code: 'model_not_found',
    }),
  notFineTuned: (id: string) =>
    platformError(403, {
      message: `The model '${id}' cannot be deleted: only fine-tuned models can.`,
      param: 'model',
      code: 'insufficient_permissions',
    }),
}

/** A model cannot be used as asked, or did not answer. */
/** `atLeast`: there are more, which were not counted. */
interface TooManyTokens {
  maxTokens: number
  requestedTokens: number
  param: string
  atLeast?: boolean
}

export const inferenceErrors = {
  /** `instead` is where the model can be used. */
  notAChatModel: (endpoint: string, instead: string | undefined) =>
    platformError(404, {
      message: `This is not a chat model and thus not supported in the ${endpoint} endpoint.${instead === undefined ? '' : ` Did you mean to use ${instead}?`}`,
      param: 'model',
    }),
  notACompletionsModel: (instead: string | undefined) =>
    platformError(404, {
      message:
        instead === 'v1/chat/completions'
          ? 'This is a chat model and not supported in the v1/completions endpoint. Did you mean to use v1/chat/completions?'
          : `This model is not supported in the v1/completions endpoint.${instead === undefined ? '' : ` Did you mean to use ${instead}?`}`,
      param: 'model',
    }),
  notForOperation: (id: string, endpoint: string, suited: readonly string[]) =>
    platformError(400, {
      message: `The model '${id}' is not supported in the ${endpoint} endpoint.${suited.length === 0 ? '' : ` Use one of: ${list(suited)}.`}`,
      param: 'model',
      code: 'invalid_value',
    }),
  overloaded: (message: string, retryAfterSeconds: number) =>
    platformError(
      503,
      { message: `${message} Please try again in ${retryAfterSeconds} s.`, type: 'server_error', code: 'overloaded' },
      { 'retry-after': String(retryAfterSeconds) },
    ),
  /** Trying again does not help: someone has to install the model. */
  notInstalled: (message: string) =>
    platformError(503, { message, type: 'server_error', code: 'model_not_installed' }, { 'x-should-retry': 'false' }),
  contextLength: ({ maxTokens, requestedTokens, param, atLeast = false }: TooManyTokens) =>
    platformError(400, {
      message: `This model's maximum context length is ${maxTokens} tokens. However, you requested ${atLeast ? 'at least ' : ''}${requestedTokens} tokens. Please reduce the length of the ${param}.`,
      param,
      code: 'context_length_exceeded',
    }),
  unsupported: (message: string, param: string) =>
    platformError(400, { message, param, code: 'unsupported_parameter' }),
  invalid: (message: string, param: string) => platformError(400, { message, param, code: 'invalid_value' }),
  /** The words of the server behind us. */
  refusedUpstream: (status: number, error: ErrorFields, headers: Record<string, string>) =>
    platformError(status, error, headers),
  failedUpstream: (status: number, message: string, headers: Record<string, string> = {}) =>
    platformError(status, { message, type: 'server_error', code: 'upstream_error' }, headers),
  failed: () =>
    serverError(
      500,
      'The model failed while it worked on your request. Please try again; the log of this server tells more.',
    ),
}

export const auditErrors = {
  permanent: () =>
    platformError(400, {
      message: 'An audit log cannot be deactivated: once activated it stays so.',
      code: 'audit_log_permanent',
    }),
  inactive: () =>
    platformError(400, {
      message:
        'There is nothing to verify: the audit log was never activated (POST /v1/organization/audit_logs/activate).',
      code: 'audit_log_inactive',
    }),
}

export const listErrors = {
  /** Without the value: a key pasted into the wrong place must not come back. INF-015 */
  invalidCursor: (param: string) =>
    platformError(400, {
      message: `Invalid value for '${param}': it is not the id of an object in this list.`,
      param,
      code: 'invalid_value',
    }),
}

export const limitErrors = {
  /** `type` names the kind of limit, as clients expect. */
  rateLimited: (
    limited: { kind: 'requests' | 'tokens' | 'images'; message: string },
    headers: Record<string, string>,
  ) => platformError(429, { message: limited.message, type: limited.kind, code: 'rate_limit_exceeded' }, headers),
}
