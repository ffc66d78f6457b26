import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Empty } from '../../parts/empty.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { SimpleTable } from '../../parts/simple-table.tsx'
import { Time } from '../../parts/time.tsx'
import { useService } from '../services/use-service.ts'
import { ContainerActions } from './container-actions.tsx'
import { type ContainerSummary, nameOf } from './engine.ts'
import { RunDialog } from './run-dialog.tsx'
import { StateTag } from './state-tag.tsx'

const columns: Column<ContainerSummary>[] = [
  {
    title: 'Name',
    show: (container) => (
      <Link className="long" href={`/containers?container=${encodeURIComponent(container.Id)}`}>
        {nameOf(container)}
      </Link>
    ),
  },
  { title: 'Image', show: ({ Image }) => <span className="long">{Image}</span> },
  {
    title: 'State',
    show: ({ State, Status }) => (
      <>
        <StateTag state={State} /> <span className="muted">{Status}</span>
      </>
    ),
  },
  { title: 'Ports', show: portsOf },
  { title: 'Made', show: ({ Created }) => <Time seconds={Created} /> },
  {
    title: 'Actions',
    show: (container) => <ContainerActions id={container.Id} name={nameOf(container)} state={container.State} />,
  },
]

export function ContainerList() {
  const { data, error, refetch } = useService<ContainerSummary[]>('engine', '/containers/json?all=1', 3_000)
  const [isOpen, setIsOpen] = useState(false)
  const [, go] = useLocation()
  return (
    <>
      <div className="filters">
        <button type="button" className="primary" onClick={() => setIsOpen(true)}>
          Run a container
        </button>
      </div>
      {isOpen && <RunDialog onRun={(id) => go(`/containers?container=${id}`)} onClose={() => setIsOpen(false)} />}
      <SimpleTable
        name="Containers"
        items={data}
        error={error}
        again={refetch}
        columns={columns}
        idOf={({ Id }) => Id}
        empty={
          <Empty title="There are no containers. The button above runs one, and so does docker:" code={runExample}>
            <p>The address for DOCKER_HOST is what ./atoll status prints beside the engine.</p>
          </Empty>
        }
      />
    </>
  )
}

const runExample = './atoll status\nexport DOCKER_HOST=unix:///…/engine.sock\ndocker run -d --name web -p 8081:80 nginx'

function portsOf({ Ports }: ContainerSummary): string {
  const texts = Ports.map(({ PrivatePort, PublicPort, Type }) =>
    PublicPort === undefined ? `${PrivatePort}/${Type}` : `${PublicPort} → ${PrivatePort}/${Type}`,
  )
  return [...new Set(texts)].join(', ')
}
