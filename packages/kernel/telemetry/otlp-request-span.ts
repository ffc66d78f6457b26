// A request as OpenTelemetry's stable conventions for HTTP servers describe it. Of the caller's words only the method
// and the path go in, the path without secrets; never a header or the query.
import {
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { redact } from './redaction.ts'
import type { RequestSpan, TracedRequest } from './tracing.ts'
import { parseTraceParent } from './tracing-parent.ts'

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'])

export function startRequestSpan(tracer: Tracer, request: TracedRequest): RequestSpan | undefined {
  const { id, service, method, scheme, path, route, headers } = request
  const isKnown = knownMethods.has(method)
  const attributes = {
    'http.request.method': isKnown ? method : '_OTHER',
    ...(isKnown ? {} : { 'http.request.method_original': method }),
    ...(route === undefined ? {} : { 'http.route': route }),
    'url.path': redact(path),
    'url.scheme': scheme,
    'atoll.service': service,
    'atoll.request_id': id,
  }
  // Names must be few: a path nobody knows is no part of one.
  const name = [isKnown ? method : 'HTTP', route].filter((part) => part !== undefined).join(' ')
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parentOf(headers.traceparent))
  if (!span.isRecording()) return undefined
  return {
    end({ status, cut }) {
      if (status !== undefined) span.setAttribute('http.response.status_code', status)
      if (cut) span.setAttribute('atoll.cut', true)
      if (status !== undefined && status >= 500) {
        span.setAttribute('error.type', String(status))
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end()
    },
  }
}

function parentOf(header: unknown): Context {
  const parent = parseTraceParent(header)
  if (parent === undefined) return ROOT_CONTEXT
  const { traceId, spanId, isSampled } = parent
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}
