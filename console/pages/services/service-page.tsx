// The frame of a page that shows another service of the machine: it says how to start one that does not run.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ask } from '../../api/client.ts'
import type { ServiceName } from '../../api/service-client.ts'
import type { ConsoleServiceList } from '../../api/types.ts'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Waiting } from '../../parts/waiting.tsx'

const useServices = () =>
  useQuery({
    queryKey: ['services'],
    queryFn: ({ signal }) => ask<ConsoleServiceList>('/v1/console/services', { signal }),
    staleTime: 10_000,
  })

interface Props {
  service: ServiceName
  title: string
  about: string
  /** What it is good for, for whoever has not started it. */
  purpose: string
  children: ReactNode
}

export function ServicePage({ service, title, about, purpose, children }: Props) {
  const { data, error, refetch } = useServices()
  const found = data?.data.find(({ name }) => name === service)
  return (
    <>
      <PageHead title={title} about={about} />
      {error ? <Failure error={error} again={refetch} /> : null}
      {data === undefined && !error ? <Waiting what="services" /> : null}
      {found?.status === 'absent' && (
        <Empty title={found.reason ?? `The ${service} does not run.`} code={`./atoll up --with ${service}`}>
          <p>{purpose} Start it, and this page fills:</p>
        </Empty>
      )}
      {found?.status === 'running' && children}
    </>
  )
}
