// How the server is: whether it is ready, and its own figures.
import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/client.ts'
import { readSamples, type Sample, sumOf } from '../../api/prometheus.ts'
import type { ConsoleActivity } from '../../api/types.ts'

const refreshMs = 5_000

interface Readiness {
  status: 'ok' | 'unavailable'
  reason?: string
  /** Services that this machine cannot run, and why. */
  absent?: Record<string, string>
}

export interface ServerState {
  readiness: Readiness
  /** Since the start. */
  failed: number
  activity: ConsoleActivity
  memoryBytes: number
  startedAt: number
  models: { name: string; running: number; waiting: number }[]
  jobs: { waiting: number; running: number; dead: number }
}

async function readServer(signal: AbortSignal): Promise<ServerState> {
  const [readiness, metrics, activity] = await Promise.all([
    fetch('/readyz', { signal }),
    fetch('/metrics', { signal }),
    ask<ConsoleActivity>('/v1/console/activity', { signal }),
  ])
  const figures = figuresOf(readSamples(await metrics.text()))
  return { readiness: (await readiness.json()) as Readiness, activity, ...figures }
}

function figuresOf(samples: Sample[]): Omit<ServerState, 'readiness' | 'activity'> {
  const requests = (isMeant: (status: string) => boolean) =>
    sumOf(samples, 'atoll_http_requests_total', ({ status = '' }) => isMeant(status))
  const of = (name: string, labels: Record<string, string> = {}) =>
    sumOf(samples, name, (found) => Object.entries(labels).every(([key, value]) => found[key] === value))
  const runtimes = samples
    .filter(({ name }) => name === 'atoll_model_running')
    .map(({ labels }) => labels.runtime ?? '')
  const jobs = (state: string) => of('atoll_jobs', { state })
  return {
    failed: requests((status) => status === '5xx'),
    memoryBytes: of('process_resident_memory_bytes'),
    startedAt: of('process_start_time_seconds'),
    models: runtimes.map((name) => ({
      name,
      running: of('atoll_model_running', { runtime: name }),
      waiting: of('atoll_model_waiting', { runtime: name }),
    })),
    jobs: { waiting: jobs('waiting'), running: jobs('running'), dead: jobs('dead') },
  }
}

export const useServer = () =>
  useQuery({ queryKey: ['server'], queryFn: ({ signal }) => readServer(signal), refetchInterval: refreshMs })
