import type { ListedAction } from '../../api/types.ts'
import { Empty } from '../../parts/empty.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { SimpleTable } from '../../parts/simple-table.tsx'
import { Time } from '../../parts/time.tsx'
import { useService } from '../services/use-service.ts'

const tags: Record<string, string> = { completed: 'good', failed: 'bad' }

const columns: Column<ListedAction>[] = [
  { title: 'Began', show: ({ creation_time }) => <Time seconds={creation_time} /> },
  { title: 'What', show: ({ additional_info }) => <span className="long">{additional_info.description}</span> },
  { title: 'State', show: ({ status }) => <span className={`tag ${tags[status] ?? ''}`}>{status}</span> },
  { title: 'Done', show: ({ progress }) => `${Math.round(progress)} %` },
  { title: 'Problem', show: ({ additional_info }) => <span className="long">{additional_info.error ?? ''}</span> },
]

export function ActionsTab() {
  const { data, error, refetch } = useService<ListedAction[]>('cluster', '/v2/actions', 2_000)
  return (
    <SimpleTable
      name="Actions"
      items={data}
      error={error}
      again={refetch}
      columns={columns}
      idOf={({ action_uid }) => action_uid}
      empty={<Empty title="Nothing was done yet." code="./atoll cluster upgrade orders search" />}
    />
  )
}
