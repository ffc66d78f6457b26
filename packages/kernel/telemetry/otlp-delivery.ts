// Tells when spans do not reach their collector: seldom, since it may be down for days.
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { Clock } from '../clock/clock.ts'
import type { Log } from './log.ts'

const warnEveryMs = 60_000
/** The SDK's result code of a success. */
const delivered = 0

export type SeldomWarning = (lostSpans: number, reason: string) => void

/** At most one line a minute; it has the number of spans lost since the line before it. */
export function seldomWarning(log: Log, clock: Clock): SeldomWarning {
  let lost = 0
  let lastAt = Number.NEGATIVE_INFINITY
  return (lostSpans, reason) => {
    lost += lostSpans
    const now = clock.now()
    if (now - lastAt < warnEveryMs) return
    log.warn({ lost_spans: lost, reason }, 'Traces do not reach their collector')
    lastAt = now
    lost = 0
  }
}

export function watchedExporter(exporter: SpanExporter, warn: SeldomWarning): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== delivered) warn(spans.length, reasonOf(result.error))
        done(result)
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}

/** The body of the collector's answer is left out: who knows what it repeats. */
function reasonOf(error: Error | undefined): string {
  const { code } = (error ?? {}) as { code?: unknown }
  return [error?.message, code].filter((part) => part !== undefined && part !== '').join(', ') || 'unknown'
}
