// JSON bodies as clients of dockerd expect them to be read: in one place, for every route.
import { readBytes } from '@atoll/kernel/http/body/body-bytes'
import { parseJson } from '@atoll/kernel/http/body/json-body'
import type { JsonRequest } from '@atoll/kernel/http/service'
import { refuseNul } from '@atoll/kernel/http/validation/nul'
import { invalidParameter, kernelErrors } from '../errors.ts'
import { inDeclaredForm } from './declared-form.ts'
import { syntaxProblem } from './syntax-problem.ts'

/** There is nothing to create from nothing. */
const needBody = new Set(['POST /containers/create'])
/** A body in chunks that then has none is an error elsewhere. */
const takeEmptyChunks = new Set(['POST /commit'])
/** Whose body was never wanted but long ago: what is too short to say anything is passed over, whatever it is. */
const passOverShort = new Set(['POST /containers/:id/start'])
const shortBytes = 7

const jsonType = 'application/json'
const mediaType = /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+$/i

const endOfBody = () => invalidParameter('invalid JSON: got EOF while reading request body')

/** Undefined when there is no body, or null. */
export async function readJson(request: JsonRequest): Promise<unknown> {
  const { name, headers, hasBody, schema, openBody, maxBytes, idleMs } = request
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined
  if (passOverShort.has(name) && length !== undefined && length <= shortBytes) {
    if (hasBody) await readBytes(openBody(), { maxBytes, idleMs })
    return undefined
  }
  checkContentType(headers['content-type'] ?? '', hasBody)
  if (length !== undefined && length > maxBytes) throw kernelErrors.bodyTooLarge(maxBytes)
  const bytes = hasBody ? await readBytes(openBody(), { maxBytes, idleMs }) : Buffer.alloc(0)
  const value = await parse(bytes, request)
  if (value === undefined && (needBody.has(name) || (hasBody && !takeEmptyChunks.has(name)))) throw endOfBody()
  return value === null ? undefined : inDeclaredForm(schema, value)
}

/** Without a body there need be no type; one that is named has to be right even then. */
function checkContentType(given: string, hasBody: boolean): void {
  if (given === '' && !hasBody) return
  const [type = ''] = given.split(';')
  if (type.trim() === '') throw invalidParameter(`malformed Content-Type header (${given}): mime: no media type`)
  if (!mediaType.test(type.trim())) {
    throw invalidParameter(`malformed Content-Type header (${given}): mime: expected token after slash`)
  }
  if (type.trim().toLowerCase() !== jsonType) throw kernelErrors.unsupportedContentType(given, jsonType)
}

async function parse(bytes: Buffer, { bounds }: JsonRequest): Promise<unknown> {
  const value = await parseJson(bytes, bounds, { ...kernelErrors, invalidJson: () => syntaxError(bytes) })
  refuseNul(value, 'body', kernelErrors)
  return value
}

function syntaxError(bytes: Buffer) {
  const problem = syntaxProblem(bytes.toString('utf8'))
  if (problem === 'trailing') return invalidParameter('unexpected content after JSON')
  return problem === undefined ? kernelErrors.invalidJson() : invalidParameter(`invalid JSON: ${problem}`)
}
