// Traces for OpenTelemetry collectors. Nothing of OpenTelemetry is loaded until its variables name a collector.
import type { Tracing, TracingNeeds } from './tracing.ts'

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
