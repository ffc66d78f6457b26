// The frame of a page that shows another service of the machine: it says how to start one that does not run.
import type { ReactNode } from 'react'
import type { ServiceName } from '../../api/service-client.ts'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { useServices } from './use-services.ts'

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
