// What was asked of models in the last hour, minute by minute, from the usage API.
import { useQuery } from '@tanstack/react-query'
import { ask, withQuery } from '../../api/client.ts'
import type { BucketPage } from '../../api/types.ts'
import { useIsAdmin } from '../../app/session.ts'

const minutes = 60
const refreshMs = 10_000

interface Counted {
  num_model_requests: number
  input_tokens?: number
  output_tokens?: number
}

/** Kinds of calls that are counted in requests. */
const kinds = ['completions', 'embeddings', 'moderations', 'images', 'audio_speeches', 'audio_transcriptions']

export interface Activity {
  times: number[]
  requests: number[]
  inputTokens: number[]
  outputTokens: number[]
}

async function readActivity(signal: AbortSignal): Promise<Activity> {
  const start = Math.floor(Date.now() / 60_000) * 60 - (minutes - 1) * 60
  const times = Array.from({ length: minutes }, (_, index) => start + index * 60)
  const query = { start_time: start, bucket_width: '1m', limit: minutes }
  const pages = await Promise.all(
    kinds.map((kind) => ask<BucketPage<Counted>>(withQuery(`/v1/organization/usage/${kind}`, query), { signal })),
  )
  const results = pages.flatMap(({ data }) =>
    data.flatMap(({ start_time, results: counted }) =>
      counted.map((one) => ({ at: (start_time - start) / 60, ...one })),
    ),
  )
  const summed = (of: (one: Counted) => number): number[] => {
    const sums = times.map(() => 0)
    for (const one of results) if (one.at >= 0 && one.at < minutes) sums[one.at] = (sums[one.at] ?? 0) + of(one)
    return sums
  }
  return {
    times,
    requests: summed(({ num_model_requests }) => num_model_requests),
    inputTokens: summed(({ input_tokens = 0 }) => input_tokens),
    outputTokens: summed(({ output_tokens = 0 }) => output_tokens),
  }
}

export const useActivity = () =>
  useQuery({
    queryKey: ['activity'],
    queryFn: ({ signal }) => readActivity(signal),
    refetchInterval: refreshMs,
    enabled: useIsAdmin(),
  })
