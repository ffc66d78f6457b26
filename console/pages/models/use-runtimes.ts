import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/client.ts'
import type { RuntimeList } from '../../api/types.ts'

export const runtimesPath = '/v1/organization/runtimes'
const refreshMs = 3_000

export const useRuntimes = () =>
  useQuery({
    queryKey: [runtimesPath],
    queryFn: ({ signal }) => ask<RuntimeList>(runtimesPath, { signal }),
    refetchInterval: refreshMs,
  })
