// Requests to the other services of the machine. They go through the server that this page came from, which asks in the
// session's place; the page holds no credential of theirs.
import { ApiError } from './api-error.ts'

export type ServiceName = 'engine' | 'hooks' | 'cluster'

export interface ServiceRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

const base = (service: ServiceName): string => `/console/services/${service}`

export async function sendTo(service: ServiceName, path: string, asked: ServiceRequest = {}): Promise<Response> {
  const { method = 'GET', body, headers = {}, signal } = asked
  const isWhole = body instanceof FormData || body instanceof Blob
  const response = await fetch(base(service) + path, {
    method,
    headers: {
      'x-atoll-console': '1',
      ...(body === undefined || isWhole ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isWhole ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  })
  if (!response.ok && response.status !== 304) throw refusalOf(response.status, await response.text())
  return response
}

export const askOf = async <Answer>(service: ServiceName, path: string, asked?: ServiceRequest): Promise<Answer> => {
  const text = await (await sendTo(service, path, asked)).text()
  return (text === '' ? undefined : JSON.parse(text)) as Answer
}

export const socketTo = (service: ServiceName, path: string): WebSocket =>
  new WebSocket(`${location.origin.replace(/^http/, 'ws')}${base(service)}${path}`)

interface Refusal {
  /** The platform's own. */
  error?: { message?: string; code?: string | null } | string
  /** The engine's. */
  message?: string
  /** The cluster's. */
  description?: string
}

function refusalOf(status: number, text: string): ApiError {
  try {
    const { error, message, description } = JSON.parse(text) as Refusal
    if (typeof error === 'object') {
      return new ApiError(status, error.message ?? `The server answered ${status}.`, error.code ?? null)
    }
    const said = message ?? description ?? error
    if (said !== undefined) return new ApiError(status, said, null)
  } catch {
    // Not every refusal is JSON.
  }
  return new ApiError(status, text.trim().slice(0, 500) || `The service answered ${status}.`, null)
}
