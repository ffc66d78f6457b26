// All events of a job, the newest first. Those that are known are not fetched again.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ask, withQuery } from '../../api/client.ts'
import type { FineTuningEvent, Page } from '../../api/types.ts'
import { jobsPath } from './paths.ts'

const pageSize = 100
const mostEvents = 20_000
const refreshMs = 1_500

export function useEvents(job: string, project: string, isLive: boolean) {
  const queries = useQueryClient()
  const key = ['events', job]
  return useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const known = queries.getQueryData<FineTuningEvent[]>(key) ?? []
      return [...(await newerThan(known[0]?.id, job, project, signal)), ...known].slice(0, mostEvents)
    },
    refetchInterval: isLive && refreshMs,
  })
}

async function newerThan(
  known: string | undefined,
  job: string,
  project: string,
  signal: AbortSignal,
): Promise<FineTuningEvent[]> {
  const fresh: FineTuningEvent[] = []
  for (let after: string | undefined; fresh.length < mostEvents; ) {
    const path = withQuery(`${jobsPath}/${job}/events`, { limit: pageSize, after })
    const { data, has_more, last_id } = await ask<Page<FineTuningEvent>>(path, { project, signal })
    const at = data.findIndex(({ id }) => id === known)
    fresh.push(...(at < 0 ? data : data.slice(0, at)))
    if (at >= 0 || !has_more || last_id === null) break
    after = last_id
  }
  return fresh
}
