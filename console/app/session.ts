// Who is logged in: asked of the server, which alone knows.
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../api/api-error.ts'
import { ask } from '../api/client.ts'
import type { SessionObject } from '../api/types.ts'

const key = ['session']
type Login = { key: string } | { link: string }

/** Null: nobody is. */
export const useSession = () =>
  useQuery({
    queryKey: key,
    queryFn: async (): Promise<SessionObject | null> => {
      const link = linkOfAddress()
      if (link !== undefined) return logIn({ link })
      return ask<SessionObject>('/v1/console/session').catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 401) return null
        throw error
      })
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

/** Others act in one project, and see nothing of the organization. */
export const useIsAdmin = (): boolean => useSession().data?.is_admin === true

const logIn = (body: Login): Promise<SessionObject> => ask('/v1/console/login', { method: 'POST', body })

export function useLogIn() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: logIn,
    onSuccess: (session) => queries.setQueryData(key, session),
  })
}

export function useLogOut() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => ask('/v1/console/logout', { method: 'POST' }),
    // Whatever the server says: whoever wants to be out is.
    onSettled: () => forgetSession(queries),
  })
}

/** Nothing that was seen stays in memory. */
export function forgetSession(queries: QueryClient): void {
  queries.setQueryData(key, null)
  queries.removeQueries({ predicate: ({ queryKey: [name] }) => name !== key[0] })
}

const linkShape = /^#login=([0-9A-Za-z]{1,512})$/

/** The secret of a link is taken out of the address at once: it stays in no history. */
function linkOfAddress(): string | undefined {
  const link = linkShape.exec(location.hash)?.[1]
  if (link !== undefined) history.replaceState(null, '', location.pathname)
  return link
}
