// Traces for OpenTelemetry collectors. Nothing of OpenTelemetry is loaded until its variables name a collector.
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../clock/clock.ts'
import type { Log } from './log.ts'

export interface TracedRequest {
  id: string
  /** The service that answers: `platform`. */
  service: string
  method: string
  scheme: 'http' | 'https'
  /** Without the query. */
  path: string
  /** The pattern: `/v1/files/:file_id`. Absent when no route matched. */
  route: string | undefined
  /** Read for `traceparent` alone. */
  headers: IncomingHttpHeaders
}

export interface RequestSpan {
  /** `status` is absent when nothing was sent; `cut` when the answer is not complete. */
  end(outcome: { status: number | undefined; cut: boolean }): void
}

/** Other work than requests gets a method of its own beside `startRequest`; its callers know no more than this file. */
export interface Tracing {
  /** Undefined when this request is not among those sampled. */
  startRequest(request: TracedRequest): RequestSpan | undefined
  /** Sends what is left, for a moment at most. */
  close(): Promise<void>
}

export interface TracingNeeds {
  log: Log
  clock: Clock
  /** Of Atoll. */
  version: string
}

/** Undefined when the environment asks for no traces. */
export async function openTracing(needs: TracingNeeds): Promise<Tracing | undefined> {
  const variable = endpointVariable()
  if (variable === undefined) return undefined
  if (!isHttpUrl(process.env[variable])) {
    needs.log.warn({ variable }, 'There will be no traces: the address of the collector is no http or https URL')
    return undefined
  }
  return (await import('./otlp.ts')).createOtlpTracing(needs)
}

function endpointVariable(): string | undefined {
  if (isSetTo('OTEL_SDK_DISABLED', 'true') || isSetTo('OTEL_TRACES_EXPORTER', 'none')) return undefined
  return ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'].find((name) => process.env[name]?.trim())
}

const isSetTo = (variable: string, value: string): boolean => process.env[variable]?.trim().toLowerCase() === value

const isHttpUrl = (text = ''): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '')
