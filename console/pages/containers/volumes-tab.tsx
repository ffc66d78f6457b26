import { Empty } from '../../parts/empty.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { SimpleTable } from '../../parts/simple-table.tsx'
import { useService } from '../services/use-service.ts'
import type { VolumeSummary } from './engine.ts'
import { RemoveButton } from './remove-button.tsx'

const columns: Column<VolumeSummary>[] = [
  { title: 'Name', show: ({ Name }) => <span className="long">{Name}</span> },
  { title: 'Driver', show: ({ Driver }) => Driver },
  { title: 'Made', show: ({ CreatedAt }) => CreatedAt ?? '' },
  { title: 'Where', show: ({ Mountpoint }) => <span className="long mono">{Mountpoint}</span> },
  {
    title: 'Actions',
    show: ({ Name }) => (
      <RemoveButton name={Name} path={`/volumes/${encodeURIComponent(Name)}`} text="Everything in it is lost." />
    ),
  },
]

export function VolumesTab() {
  const { data, error, refetch } = useService<{ Volumes: VolumeSummary[] | null }>('engine', '/volumes')
  return (
    <SimpleTable
      name="Volumes"
      items={data && (data.Volumes ?? [])}
      error={error}
      again={refetch}
      columns={columns}
      idOf={({ Name }) => Name}
      empty={<Empty title="There are no volumes." code="docker run -v data:/data alpine touch /data/kept" />}
    />
  )
}
