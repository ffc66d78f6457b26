import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { expect, it } from 'vitest'
import { ManualClock } from '../clock/clock.ts'
import { LogRecorder } from '../http/testing/sample-service.ts'
import { seldomWarning, watchedExporter } from './otlp-delivery.ts'
import { OtlpCollector } from './testing/otlp-collector.ts'

it('spans that do not arrive are told once a minute, with how many were lost', async () => {
  const collector = new OtlpCollector()
  const url = await collector.start()
  const log = new LogRecorder()
  const clock = new ManualClock()
  const exporter = watchedExporter(new OTLPTraceExporter({ url, timeoutMillis: 500 }), seldomWarning(log, clock))
  const memory = new InMemorySpanExporter()
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: memory })] })
  provider.getTracer('test').startSpan('one').end()
  const spans = memory.getFinishedSpans()
  const send = () => new Promise<void>((resolve) => exporter.export(spans, () => resolve()))

  await send()
  expect(collector.spans).toHaveLength(1)
  expect(log.lines).toEqual([])
  await collector.stop()
  for (let i = 0; i < 3; i++) await send()
  expect(log.lines).toMatchObject([{ fields: { lost_spans: 1 } }])
  clock.advanceSeconds(59)
  await send()
  expect(log.lines).toHaveLength(1)
  clock.advanceSeconds(1)
  await send()
  expect(log.lines[1]).toMatchObject({ level: 'warn', fields: { lost_spans: 4 } })
})
