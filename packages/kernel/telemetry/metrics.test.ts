import { describe, expect, it } from 'vitest'
import { createCounter, exposition } from './exposition.ts'
import { createMetrics } from './metrics.ts'

const route = { service: 'platform', method: 'GET', route: '/v1/models', status: 200 }

describe('metrics', () => {
  it('count requests by service, method, route pattern and status class', async () => {
    const metrics = createMetrics()
    for (const seconds of [0.0005, 0.003, 0.003, 90]) metrics.requestEnded({ ...route, seconds })
    metrics.requestEnded({ ...route, method: 'BREW', route: undefined, status: 404, seconds: 0.2 })
    const text = await metrics.text()
    const labels = 'service="platform",method="GET",route="/v1/models",status="2xx"'
    expect(text).toContain(`\natoll_http_requests_total{${labels}} 4\n`)
    expect(text).toContain('{service="platform",method="other",route="none",status="4xx"} 1\n')
    expect(text).toContain(`\natoll_http_request_duration_seconds_bucket{${labels},le="0.001"} 1\n`)
    expect(text).toContain(`\natoll_http_request_duration_seconds_bucket{${labels},le="0.005"} 3\n`)
    expect(text).toContain(`\natoll_http_request_duration_seconds_bucket{${labels},le="+Inf"} 4\n`)
    expect(text).toContain(`\natoll_http_request_duration_seconds_count{${labels}} 4\n`)
    expect(text).toContain(`\natoll_http_request_duration_seconds_sum{${labels}} 90.0065\n`)
  })

  it('know how many requests are being answered', async () => {
    const metrics = createMetrics()
    metrics.requestStarted('platform')
    metrics.requestStarted('platform')
    metrics.requestEnded({ ...route, seconds: 1 })
    expect(await metrics.text()).toContain('atoll_http_requests_in_flight{service="platform"} 1\n')
  })

  it('show the jobs, and go on without them when they cannot be read', async () => {
    const metrics = createMetrics()
    metrics.watchJobs(async () => ({ waiting: 3, running: 2, dead: 1 }))
    expect(await metrics.text()).toContain('atoll_jobs{state="waiting"} 3\natoll_jobs{state="running"} 2\n')
    metrics.watchJobs(() => Promise.reject(new Error('down')))
    const text = await metrics.text()
    expect(text).not.toContain('atoll_jobs')
    expect(text).toContain('atoll_metrics_failed_reads_total{what="jobs"} 1\n')
  })

  it('tell the memory and processor time of the process', async () => {
    const text = await createMetrics().text()
    expect(Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(10_000_000)
    expect(Number(/^process_cpu_seconds_total ([\d.]+)$/m.exec(text)?.[1])).toBeGreaterThan(0)
  })

  it('are written as Prometheus reads them: every sample below its type, each series once', async () => {
    const metrics = createMetrics()
    metrics.requestEnded({ ...route, seconds: 0.1 })
    metrics.counter('atoll_tokens_total', 'Tokens,\nby "kind".')({ kind: 'a"b\\c\nd' }, 7)
    const text = await metrics.text()
    expect(text).toContain('# HELP atoll_tokens_total Tokens,\\nby "kind".\n# TYPE atoll_tokens_total counter\n')
    expect(text).toContain('atoll_tokens_total{kind="a\\"b\\\\c\\nd"} 7\n')
    const seen = new Set<string>()
    let family = ''
    for (const line of text.trimEnd().split('\n')) {
      family = /^# TYPE (\w+) (?:counter|gauge|histogram)$/.exec(line)?.[1] ?? family
      if (line.startsWith('#')) continue
      const sample =
        /^(\w+?)(?:_bucket|_sum|_count)?(?:\{\w+="(?:[^"\\\n]|\\.)*"(?:,\w+="(?:[^"\\\n]|\\.)*")*\})? -?[\d.e+-]+$/
      expect(sample.exec(line)?.[1], line).toBe(family)
      const series = line.slice(0, line.lastIndexOf(' '))
      expect(seen.has(series), series).toBe(false)
      seen.add(series)
    }
    expect(() => metrics.counter('atoll_tokens_total', 'again')).toThrow('already')
  })

  it('keep a bounded number of series', () => {
    const counter = createCounter({ name: 'x', help: 'x' })
    for (let i = 0; i < 6_000; i++) counter.add({ id: String(i) })
    expect(exposition([counter]).split('\n').length).toBeLessThan(5_010)
  })
})
