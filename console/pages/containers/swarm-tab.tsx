import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { SimpleTable } from '../../parts/simple-table.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { useService } from '../services/use-service.ts'
import { StateTag } from './state-tag.tsx'

interface Info {
  Swarm: { LocalNodeState: string; ControlAvailable: boolean }
}

interface Service {
  ID: string
  Spec: {
    Name: string
    TaskTemplate: { ContainerSpec?: { Image: string } }
    Mode: { Replicated?: { Replicas: number } }
  }
}

interface Node {
  ID: string
  Spec: { Role: string; Availability: string }
  Description: { Hostname: string }
  Status: { State: string; Addr?: string }
  ManagerStatus?: { Leader?: boolean; Reachability: string }
}

interface Task {
  ID: string
  ServiceID: string
  NodeID?: string
  Slot?: number
  DesiredState: string
  Status: { State: string; Err?: string; Timestamp: string }
}

const example = 'docker swarm init --advertise-addr 127.0.0.1\ndocker service create --name web --replicas 2 nginx'

export function SwarmTab() {
  const { data, error, refetch } = useService<Info>('engine', '/info', 10_000)
  if (error) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Waiting what="the swarm" />
  const { LocalNodeState: state, ControlAvailable: isManager } = data.Swarm
  if (isManager) return <Swarm />
  if (state === 'active') return <Empty title="This machine is a worker: its swarm is steered on a manager." />
  return <Empty title="This engine is in no swarm." code={example} />
}

function Swarm() {
  const services = useService<Service[]>('engine', '/services')
  const nodes = useService<Node[]>('engine', '/nodes')
  const tasks = useService<Task[]>('engine', '/tasks')
  const nameOf = (id: string): string => services.data?.find(({ ID }) => ID === id)?.Spec.Name ?? id
  const hostOf = (id = ''): string => nodes.data?.find(({ ID }) => ID === id)?.Description.Hostname ?? id
  const running = (id: string): number =>
    tasks.data?.filter(({ ServiceID, Status }) => ServiceID === id && Status.State === 'running').length ?? 0
  const serviceColumns: Column<Service>[] = [
    { title: 'Service', show: ({ Spec }) => <span className="long">{Spec.Name}</span> },
    {
      title: 'Image',
      show: ({ Spec }) => <span className="long">{Spec.TaskTemplate.ContainerSpec?.Image.split('@')[0]}</span>,
    },
    { title: 'Running', show: ({ ID, Spec }) => `${running(ID)} of ${Spec.Mode.Replicated?.Replicas ?? 'every node'}` },
  ]
  const taskColumns: Column<Task>[] = [
    {
      title: 'Task',
      show: ({ ServiceID, Slot, ID }) => (
        <span className="long">{`${nameOf(ServiceID)}.${Slot ?? ID.slice(0, 6)}`}</span>
      ),
    },
    { title: 'Node', show: ({ NodeID }) => hostOf(NodeID) },
    { title: 'State', show: ({ Status }) => <StateTag state={Status.State} /> },
    { title: 'Problem', show: ({ Status }) => <span className="long">{Status.Err ?? ''}</span> },
  ]
  return (
    <div className="stack">
      <h2>Services</h2>
      <SimpleTable
        name="Services"
        items={services.data}
        error={services.error}
        columns={serviceColumns}
        idOf={({ ID }) => ID}
        empty={<Empty title="There are no services." code="docker service create --name web --replicas 2 nginx" />}
      />
      <h2>Nodes</h2>
      <SimpleTable
        name="Nodes"
        items={nodes.data}
        error={nodes.error}
        columns={nodeColumns}
        idOf={({ ID }) => ID}
        empty={null}
      />
      <h2>Tasks</h2>
      <SimpleTable
        name="Tasks"
        items={tasks.data}
        error={tasks.error}
        columns={taskColumns}
        idOf={({ ID }) => ID}
        empty={<p className="muted">None.</p>}
      />
    </div>
  )
}

const nodeColumns: Column<Node>[] = [
  { title: 'Node', show: ({ Description }) => <span className="long">{Description.Hostname}</span> },
  { title: 'State', show: ({ Status }) => <StateTag state={Status.State} /> },
  { title: 'Role', show: ({ Spec, ManagerStatus }) => (ManagerStatus?.Leader ? 'manager, leads' : Spec.Role) },
  { title: 'Availability', show: ({ Spec }) => Spec.Availability },
]
