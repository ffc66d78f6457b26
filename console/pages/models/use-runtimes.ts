import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/client.ts'
import type { RuntimeList } from '../../api/types.ts'
import { useIsAdmin } from '../../app/session.ts'

export const runtimesPath = '/v1/organization/runtimes'
const refreshMs = 3_000

/** For administrators; others are told nothing of what runs the models. */
export const useRuntimes = () =>
  useQuery({
    queryKey: [runtimesPath],
    queryFn: ({ signal }) => ask<RuntimeList>(runtimesPath, { signal }),
    refetchInterval: refreshMs,
    enabled: useIsAdmin(),
  })
