// What another service answers, kept fresh while somebody looks.
import { useQuery } from '@tanstack/react-query'
import { askOf, type ServiceName, type ServiceRequest } from '../../api/service-client.ts'
import { useChange } from '../../api/use-change.ts'

/** A function tells by what was answered whether and when to ask again. */
type Refetch<Answer> = number | false | ((asked: { state: { data: Answer | undefined } }) => number | false)

export const useService = <Answer>(service: ServiceName, path: string, refetchMs: Refetch<Answer> = 5_000) =>
  useQuery({
    queryKey: [service, path],
    queryFn: ({ signal }) => askOf<Answer>(service, path, { signal }),
    refetchInterval: refetchMs,
  })

interface Change extends ServiceRequest {
  path: string
}

/** Afterwards everything of the service is asked anew. */
export const useServiceChange = <Answer = unknown>(service: ServiceName) =>
  useChange(({ path, ...asked }: Change) => askOf<Answer>(service, path, { method: 'POST', ...asked }), [service])
