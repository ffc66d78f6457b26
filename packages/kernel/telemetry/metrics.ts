// The figures of a running house, for Prometheus to read at /metrics.
import type { JobCounts } from '../jobs/jobs.ts'
import { createCounter, createGauge, createHistogram, exposition, type Labels, type Metric } from './exposition.ts'
import { processMetrics } from './process-metrics.ts'

export interface EndedRequest {
  service: string
  method: string
  /** The pattern, never the path: `/v1/files/:file_id`. Absent when no route matched. */
  route: string | undefined
  status: number
  seconds: number
}

export interface Figure {
  labels: Labels
  value: number
}

export interface Metrics {
  requestStarted(service: string): void
  requestEnded(request: EndedRequest): void
  /** Told of every request that ends; it must be quick. */
  watchRequests(ended: (request: EndedRequest) => void): void
  /** Asked at each scrape. */
  watchJobs(counts: () => Promise<JobCounts>): void
  /** A counter of a service's own; its labels must come from small sets. */
  counter(name: string, help: string): (labels: Labels, amount?: number) => void
  /** A figure of a service's own, asked at each scrape. */
  gauge(name: string, help: string, read: () => Figure[]): void
  /** The same, of what has to be waited for: where it cannot be read, it is left out and counted. */
  storedGauge(name: string, help: string, read: () => Promise<Figure[]>): void
  text(): Promise<string>
}

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const knownMethods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])

export function createMetrics(): Metrics {
  const inFlight = createGauge({ name: 'atoll_http_requests_in_flight', help: 'HTTP requests being answered.' })
  const durations = createHistogram({
    name: 'atoll_http_request_duration_seconds',
    help: 'Time from the request line to the last byte of the answer.',
    bounds: durationBounds,
  })
  // Every request counts once there.
  const requests: Metric = {
    name: 'atoll_http_requests_total',
    help: 'HTTP requests answered.',
    kind: 'counter',
    samples: durations.counts,
  }
  const failedReads = createCounter({
    name: 'atoll_metrics_failed_reads_total',
    help: 'Figures that could not be read.',
  })
  const metrics: Metric[] = [requests, inFlight, durations, failedReads]
  const stored: StoredGauge[] = []
  const watching: ((request: EndedRequest) => void)[] = []
  let readJobs: (() => Promise<JobCounts>) | undefined
  const checkNew = (name: string): void => {
    if ([...metrics, ...stored].some((metric) => metric.name === name))
      throw new Error(`There is a metric ${name} already.`)
  }
  return {
    requestStarted: (service) => inFlight.add({ service }),
    requestEnded(request) {
      const { service, method, route, status, seconds } = request
      inFlight.add({ service }, -1)
      const labels = {
        service,
        method: knownMethods.has(method) ? method : 'other',
        route: route ?? 'none',
        status: `${Math.floor(status / 100)}xx`,
      }
      durations.observe(labels, seconds)
      for (const ended of watching) ended(request)
    },
    watchRequests: (ended) => void watching.push(ended),
    watchJobs(counts) {
      readJobs = counts
    },
    gauge(name, help, read) {
      checkNew(name)
      metrics.push(gaugeOf(name, help, read))
    },
    storedGauge(name, help, read) {
      checkNew(name)
      stored.push({ name, help, read })
    },
    counter(name, help) {
      checkNew(name)
      const own = createCounter({ name, help })
      metrics.push(own)
      return own.add
    },
    async text() {
      // A database that does not answer must not hide the other figures.
      const counts = await readJobs?.().catch(() => failedReads.add({ what: 'jobs' }))
      const figures = await Promise.all(stored.map((gauge) => readGauge(gauge, failedReads.add)))
      return exposition([...metrics, ...figures.flat(), ...(counts ? [jobsMetric(counts)] : []), ...processMetrics()])
    },
  }
}

interface StoredGauge {
  name: string
  help: string
  read(): Promise<Figure[]>
}

async function readGauge({ name, help, read }: StoredGauge, failed: (labels: Labels) => void): Promise<Metric[]> {
  try {
    const found = await read()
    return [gaugeOf(name, help, () => found)]
  } catch {
    failed({ what: name })
    return []
  }
}

const gaugeOf = (name: string, help: string, read: () => Figure[]): Metric => ({
  ...{ name, help, kind: 'gauge' },
  samples: () => read().map((figure) => ({ suffix: '', ...figure })),
})

function jobsMetric(counts: JobCounts): Metric {
  const states = ['waiting', 'running', 'dead'] as const
  return {
    name: 'atoll_jobs',
    help: 'Jobs by state; dead ones have used up their attempts.',
    kind: 'gauge',
    samples: () => states.map((state) => ({ suffix: '', labels: { state }, value: counts[state] })),
  }
}
