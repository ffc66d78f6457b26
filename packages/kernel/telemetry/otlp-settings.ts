// OpenTelemetry's standard variables that its SDK leaves to the program. They may be meant for many programs, so one
// that cannot be used is told and does not stop the start.
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  type BatchSpanProcessorOptions,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import type { Log } from './log.ts'

const roots: Record<string, (ratio: number) => Sampler> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
}

export function samplerOf(log: Log): Sampler {
  const name = setting('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on'
  const makeRoot = Object.hasOwn(roots, rootName(name)) ? roots[rootName(name)] : undefined
  if (makeRoot === undefined) {
    tell(log, 'OTEL_TRACES_SAMPLER', [
      ...Object.keys(roots),
      ...Object.keys(roots).map((root) => `parentbased_${root}`),
    ])
    return new ParentBasedSampler({ root: new AlwaysOnSampler() })
  }
  const root = makeRoot(rootName(name) === 'traceidratio' ? ratioOf(log) : 1)
  return name === rootName(name) ? root : new ParentBasedSampler({ root })
}

const rootName = (name: string): string => name.replace(/^parentbased_/, '')

function ratioOf(log: Log): number {
  const text = setting('OTEL_TRACES_SAMPLER_ARG') ?? '1'
  const ratio = Number(text)
  if (ratio >= 0 && ratio <= 1) return ratio
  tell(log, 'OTEL_TRACES_SAMPLER_ARG', ['a number from 0 to 1'])
  return 1
}

/** The SDK's defaults: 2,048 spans wait, 512 go at once, every 5 s, each delivery given up after 30 s. */
export function batchLimits(log: Log): Omit<BatchSpanProcessorOptions, 'exporter'> {
  return {
    maxQueueSize: wholeNumber(log, 'OTEL_BSP_MAX_QUEUE_SIZE', 2048),
    maxExportBatchSize: wholeNumber(log, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
    scheduledDelayMillis: wholeNumber(log, 'OTEL_BSP_SCHEDULE_DELAY', 5_000),
    exportTimeoutMillis: wholeNumber(log, 'OTEL_BSP_EXPORT_TIMEOUT', 30_000),
  }
}

function wholeNumber(log: Log, variable: string, otherwise: number): number {
  const text = setting(variable)
  if (text === undefined) return otherwise
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  tell(log, variable, ['a whole number from 1 to 999999999'])
  return otherwise
}

/** What asks for another way of delivery than the one there is. */
export function warnOfUnusable(log: Log): void {
  const only: Record<string, string> = {
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    OTEL_PROPAGATORS: 'tracecontext',
  }
  for (const [variable, value] of Object.entries(only)) {
    const words = setting(variable)?.split(',') ?? [value]
    if (!words.some((word) => word.trim() === value)) tell(log, variable, [value])
  }
}

const setting = (variable: string): string | undefined => process.env[variable]?.trim() || undefined

function tell(log: Log, variable: string, expected: string[]): void {
  log.warn({ variable, expected: expected.join(', ') }, 'A setting for traces is not usable')
}
