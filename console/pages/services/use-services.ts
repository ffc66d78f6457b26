// Which services run on this machine.
import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/client.ts'
import type { ConsoleServiceList } from '../../api/types.ts'

/** Only operators are told. */
export const useServices = (isAsked = true) =>
  useQuery({
    queryKey: ['services'],
    queryFn: ({ signal }) => ask<ConsoleServiceList>('/v1/console/services', { signal }),
    staleTime: 10_000,
    enabled: isAsked,
  })
