import { Empty } from '../../parts/empty.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { SimpleTable } from '../../parts/simple-table.tsx'
import { useService } from '../services/use-service.ts'
import { type NetworkSummary, shortId } from './engine.ts'
import { RemoveButton } from './remove-button.tsx'

/** They belong to the engine itself. */
const ownNetworks = ['bridge', 'host', 'none', 'ingress', 'docker_gwbridge']

const columns: Column<NetworkSummary>[] = [
  { title: 'Name', show: ({ Name }) => <span className="long">{Name}</span> },
  { title: 'Id', show: ({ Id }) => <code>{shortId(Id)}</code> },
  { title: 'Driver', show: ({ Driver }) => Driver },
  { title: 'Scope', show: ({ Scope }) => Scope },
  { title: 'Addresses', show: ({ IPAM }) => (IPAM.Config ?? []).map(({ Subnet }) => Subnet).join(', ') },
  {
    title: 'Actions',
    show: ({ Name, Id }) =>
      !ownNetworks.includes(Name) && (
        <RemoveButton
          name={Name}
          path={`/networks/${encodeURIComponent(Id)}`}
          text="Containers in it keep it from being removed."
        />
      ),
  },
]

export function NetworksTab() {
  const { data, error, refetch } = useService<NetworkSummary[]>('engine', '/networks')
  return (
    <SimpleTable
      name="Networks"
      items={data}
      error={error}
      again={refetch}
      columns={columns}
      idOf={({ Id }) => Id}
      empty={<Empty title="There are no networks." code="docker network create inner" />}
    />
  )
}
