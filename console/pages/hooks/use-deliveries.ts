// Deliveries, a page at a time from the newest on, with what the gateway tells of them meanwhile.

import { useInfiniteQuery } from '@tanstack/react-query'
import { withQuery } from '../../api/client.ts'
import { askOf } from '../../api/service-client.ts'
import type { HookDelivery } from '../../api/types.ts'
import { admin } from './gateway.ts'
import { useDeliveryChanges } from './use-delivery-changes.ts'

const pageSize = 50

interface DeliveryPage {
  deliveries: HookDelivery[]
  hasMore: boolean
}

/** Those in a state; undefined: all. */
export function useDeliveries(state: HookDelivery['state'] | undefined) {
  const asked = useInfiniteQuery({
    queryKey: ['hooks', 'deliveries', state],
    queryFn: ({ pageParam, signal }) =>
      askOf<DeliveryPage>('hooks', withQuery(admin('/deliveries'), { limit: pageSize, state, after: pageParam }), {
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ deliveries, hasMore }) => (hasMore ? deliveries.at(-1)?.id : undefined),
  })
  const { changes, problem } = useDeliveryChanges(asked.refetch)
  const known = asked.data?.pages.flatMap(({ deliveries }) => deliveries)
  const items = known && withChanges(known, changes, asked.hasNextPage)
  return {
    list: { ...asked, items: items?.filter((delivery) => state === undefined || delivery.state === state) },
    problem,
  }
}

/** Ids are in the order of time. What changed further back is shown when the person gets there. */
function withChanges(known: HookDelivery[], changes: HookDelivery[], hasMore: boolean): HookDelivery[] {
  const oldest = hasMore ? (known.at(-1)?.id ?? '') : ''
  const byId = new Map([...known, ...changes.filter(({ id }) => id >= oldest)].map((one) => [one.id, one]))
  return [...byId.values()].sort((one, other) => (one.id < other.id ? 1 : -1))
}
