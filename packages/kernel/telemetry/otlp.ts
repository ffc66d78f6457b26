// Sends traces as OTLP over HTTP, in JSON. Loads the OpenTelemetry SDK: import it only when traces are wanted.
import { DiagLogLevel, diag } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { type SeldomWarning, seldomWarning, watchedExporter } from './otlp-delivery.ts'
import { startRequestSpan } from './otlp-request-span.ts'
import { batchLimits, samplerOf, warnOfUnusable } from './otlp-settings.ts'
import type { Tracing, TracingNeeds } from './tracing.ts'

/** A collector that does not answer must not hold up the end of the program. */
const closeWithinMs = 2_000
/** A path may be as long as all headers together; thousands of spans may wait. */
const maxAttributeLength = 1024

export function createOtlpTracing({ log, clock, version }: TracingNeeds): Tracing {
  hearDiagnostics((message) => log.warn({ reason: message }, 'A setting for traces is not usable'))
  warnOfUnusable(log)
  const warn = seldomWarning(log, clock)
  const provider = new TracerProvider({
    resource: resourceOf(version),
    sampler: samplerOf(log),
    spanLimits: { attributeValueLengthLimit: maxAttributeLength },
    spanProcessors: [
      new BatchSpanProcessor({ exporter: watchedExporter(new OTLPTraceExporter(), warn), ...batchLimits(log) }),
    ],
  })
  hearDiagnostics((message) => warn(0, message))
  const tracer = provider.getTracer('atoll', version)
  return {
    startRequest: (request) => startRequestSpan(tracer, request),
    close: () => closeInTime(provider, warn),
  }
}

/** What the SDK would otherwise keep to itself. */
function hearDiagnostics(hear: (message: string) => void): void {
  const ignore = () => {}
  const logger = { error: hear, warn: hear, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
}

/** OTEL_SERVICE_NAME over OTEL_RESOURCE_ATTRIBUTES over our own. */
function resourceOf(version: string): Resource {
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'atoll', 'service.version': version }))
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector] }))
    .merge(detectResources({ detectors: [serviceNameEnvDetector] }))
}

async function closeInTime(provider: TracerProvider, warn: SeldomWarning): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    warn(0, 'The collector did not answer before the end')
    late.resolve()
  }, closeWithinMs)
  // A failed delivery was told where it failed.
  await Promise.race([provider.shutdown().catch(() => undefined), late.promise])
  clearTimeout(timer)
  diag.disable()
}
