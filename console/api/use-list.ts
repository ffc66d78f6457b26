// Lists of the API, a page at a time: more is fetched when the person asks for it.
import { useInfiniteQuery } from '@tanstack/react-query'
import { ask, withQuery } from './client.ts'
import type { Page } from './types.ts'

const pageSize = 50

interface Wanted {
  path: string
  /** Where it is a list of a project. */
  project?: string
  query?: Record<string, string | number | string[] | undefined>
  /** How often it changes by itself. */
  refetchMs?: number | false
}

export function useList<Item>({ path, project, query = {}, refetchMs = false }: Wanted) {
  const asked = useInfiniteQuery({
    queryKey: [path, project, query],
    queryFn: ({ pageParam, signal }) =>
      ask<Page<Item>>(withQuery(path, { limit: pageSize, ...query, after: pageParam }), {
        signal,
        ...(project === undefined ? {} : { project }),
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.has_more ? (page.last_id ?? undefined) : undefined),
    refetchInterval: refetchMs,
  })
  return { ...asked, items: asked.data?.pages.flatMap(({ data }) => data) }
}
