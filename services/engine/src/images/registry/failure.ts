// What can go wrong between the engine and a registry, in the words docker's clients know.
import { STATUS_CODES } from 'node:http'
import { HttpError } from '@atoll/kernel/http/error'
import { z } from 'zod'
import { forbidden, invalidParameter, notFound, systemError, unauthorized, unavailable } from '../../errors.ts'
import { familiarName, familiarRepository } from '../reference.ts'
import type { Challenge } from './challenge.ts'

/** A registry's own codes, and two of ours: no answer came, or one that makes no sense. */
export class RegistryProblem extends Error {
  readonly code: string
  /** Another try may well succeed. */
  readonly isPassing: boolean
  /** It took all the time it had, and another try would take as much. */
  readonly wasSilent: boolean

  constructor(code: string, message: string, isPassing = false, wasSilent = false) {
    super(message)
    this.name = 'RegistryProblem'
    this.code = code
    this.isPassing = isPassing
    this.wasSilent = wasSilent
  }
}

interface Request {
  method: string
  url: URL
}

/** `Get "http://localhost:5000/v2/": dial tcp 127.0.0.1:5000: connect: connection refused` */
export function unreachable({ method, url }: Request, problem: unknown): RegistryProblem {
  if (problem instanceof RegistryProblem) return problem
  const { reason, isPassing } = explain(problem, url)
  const verb = method.charAt(0) + method.slice(1).toLowerCase()
  const message = `${verb} "${url.origin}${url.pathname}": ${reason}`
  return new RegistryProblem('UNREACHABLE', message, isPassing, problem instanceof Silence)
}

function explain(problem: unknown, url: URL): { reason: string; isPassing: boolean } {
  if (typeof problem === 'string') return { reason: problem, isPassing: false }
  const [first] = problem instanceof AggregateError ? problem.errors : [problem]
  const {
    code = '',
    message = '',
    address,
    port,
  } = first as NodeJS.ErrnoException & { address?: string; port?: number }
  const place = address === undefined ? url.host : `${address}:${port}`
  const known = dialFailures[code]
  if (known !== undefined) return { reason: `dial tcp ${place}: connect: ${known}`, isPassing: false }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return { reason: `dial tcp: lookup ${url.hostname}: no such host`, isPassing: code === 'EAI_AGAIN' }
  }
  if (certificateCodes.test(code)) {
    return { reason: `x509: the certificate cannot be trusted: ${message}`, isPassing: false }
  }
  const isTls = code === 'EPROTO' || code.startsWith('ERR_SSL')
  return {
    reason: isTls ? 'http: server gave HTTP response to HTTPS client' : message || code || 'unexpected EOF',
    isPassing: !isTls,
  }
}

const dialFailures: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  ETIMEDOUT: 'i/o timeout',
}
const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS_CERT/

/** Nothing came for too long. */
export class Silence extends Error {}

export const answerTooLong = ({ url }: Request, maxBytes: number): RegistryProblem =>
  nonsense(`the answer to ${url.pathname} is longer than the ${maxBytes} bytes it may have`)

/** The registry answered, but not what it may answer. */
export const nonsense = (message: string): RegistryProblem => new RegistryProblem('NONSENSE', message)

/** The caller asks for what cannot be had. */
export const unsupported = (message: string): RegistryProblem => new RegistryProblem('UNSUPPORTED', message)

const Told = z.object({
  errors: z.array(z.object({ code: z.string().max(200), message: z.string().max(2_000).optional() })).max(100),
})
const ToldByTokenServer = z.object({ details: z.string().max(2_000) })

const usualWords: Record<string, string> = {
  DENIED: 'requested access to the resource is denied',
  UNAUTHORIZED: 'authentication required',
}

/** An answer of 4xx or 5xx: what the registry says in its body or its challenge. */
export function refusal(status: number, body: Buffer, challenges: readonly Challenge[] = []): RegistryProblem {
  const isPassing = status >= 500 || status === 429 || status === 408
  const told = codeOfChallenge(challenges) ?? codeOfBody(body)
  if (told !== undefined) {
    const words = told.message || usualWords[told.code] || 'unknown error'
    return new RegistryProblem(told.code, `${told.code.toLowerCase().replaceAll('_', ' ')}: ${words}`, isPassing)
  }
  const details = ToldByTokenServer.safeParse(parsed(body))
  const byStatus = codeByStatus[status]
  if (byStatus !== undefined) {
    const words = details.success ? details.data.details : (usualWords[byStatus] ?? 'not found')
    return new RegistryProblem(byStatus, `${byStatus.toLowerCase().replaceAll('_', ' ')}: ${words}`)
  }
  const line = `received unexpected HTTP status: ${status} ${STATUS_CODES[status] ?? ''}`.trim()
  return new RegistryProblem('UNEXPECTED', line, isPassing)
}

const codeByStatus: Record<number, string> = { 401: 'UNAUTHORIZED', 403: 'DENIED', 404: 'NOT_FOUND' }

/** Some registries tell only there why a token is not enough. */
function codeOfChallenge(challenges: readonly Challenge[]): { code: string; message: string } | undefined {
  const bearer = challenges.find(({ scheme, parameters }) => scheme === 'bearer' && parameters.error !== undefined)
  const code = { invalid_token: 'UNAUTHORIZED', insufficient_scope: 'DENIED' }[bearer?.parameters.error ?? '']
  return code === undefined ? undefined : { code, message: bearer?.parameters.error_description ?? '' }
}

function codeOfBody(body: Buffer): { code: string; message?: string | undefined } | undefined {
  const told = Told.safeParse(parsed(body))
  return told.success ? told.data.errors[0] : undefined
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

/** For the callers of a pull. `name` is canonical: `docker.io/library/x:latest`. */
export function pullError(problem: unknown, name: string, repository: string): unknown {
  if (!(problem instanceof RegistryProblem)) return problem
  const { code, message } = problem
  if (code === 'DENIED') {
    const who = familiarRepository(repository)
    return notFound(
      `pull access denied for ${who}, repository does not exist or may require 'docker login': ${message}`,
    )
  }
  if (code === 'MANIFEST_UNKNOWN') return notFound(`manifest for ${familiarName(name)} not found: ${message}`)
  if (code === 'NAME_UNKNOWN') return notFound(`repository ${familiarRepository(repository)} not found: ${message}`)
  return plainError(problem)
}

/** For the callers of a search: none of the registries that were asked could tell. */
export function searchError(problem: unknown, registry: string): unknown {
  if (!(problem instanceof RegistryProblem)) return problem
  const { code, message } = problem
  if (code === 'UNAUTHORIZED' || code === 'DENIED') return plainError(problem)
  return unavailable(`${registry} cannot be searched: ${message}`)
}

/** For all others: the registry's own words, with the status that fits. */
export function plainError(problem: unknown): unknown {
  if (!(problem instanceof RegistryProblem)) return problem
  const { code, message } = problem
  if (code === 'UNAUTHORIZED') return unauthorized(message)
  if (code === 'DENIED') return forbidden(message)
  if (code === 'UNSUPPORTED') return invalidParameter(message)
  if (missing.has(code)) return notFound(message)
  return systemError(message)
}

const missing = new Set(['MANIFEST_UNKNOWN', 'NAME_UNKNOWN', 'BLOB_UNKNOWN', 'NOT_FOUND', 'NO_SUCH_PLATFORM'])

export const messageOf = (problem: unknown): string =>
  problem instanceof HttpError || problem instanceof Error ? problem.message : String(problem)
