import { useState } from 'react'
import type { GatewayStatus, HookMapping } from '../../api/types.ts'
import { Empty } from '../../parts/empty.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { SimpleTable } from '../../parts/simple-table.tsx'
import { useService, useServiceChange } from '../services/use-service.ts'
import { admin } from './gateway.ts'
import { TryDialog } from './try-dialog.tsx'

const example = `hooks:
  mappings:
    - id: github
      match: { path: github }
      action: agent
      name: GitHub
      messageTemplate: "{{repository.full_name}}: {{head_commit.message}}"`

export function MappingsTab() {
  const { data, error, refetch } = useService<{ mappings: HookMapping[] }>('hooks', admin('/mappings'))
  const status = useService<GatewayStatus>('hooks', admin('/status'))
  const [tried, setTried] = useState<HookMapping>()
  // While everything stands still no mapping can go on by itself: that is ended where it was begun.
  const isAllPaused = status.data?.paused.all !== false
  const columns: Column<HookMapping>[] = [
    ...about,
    {
      title: 'Actions',
      show: (mapping) => (
        <div className="actions">
          <button type="button" className="small" aria-label={`Try ${mapping.id}`} onClick={() => setTried(mapping)}>
            Try
          </button>
          {!isAllPaused && <PauseButton mapping={mapping} />}
        </div>
      ),
    },
  ]
  return (
    <>
      {status.data?.paused.all === true && (
        <p className="muted">All deliveries wait: nothing is run until that is ended under Deliveries.</p>
      )}
      <SimpleTable
        name="Mappings"
        items={data?.mappings}
        error={error}
        again={refetch}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          <Empty title="There are no mappings." code={example}>
            <p>A mapping in the configuration file turns what another program sends into words for the agent:</p>
          </Empty>
        }
      />
      {tried !== undefined && <TryDialog mapping={tried} onClose={() => setTried(undefined)} />}
    </>
  )
}

const about: Column<HookMapping>[] = [
  { title: 'Mapping', show: ({ id, isPreset }) => <span className="long">{isPreset ? `${id} (preset)` : id}</span> },
  { title: 'Takes', show: ({ match: { path, source } }) => <code>{path ?? source ?? 'everything'}</code> },
  {
    title: 'Makes of it',
    show: ({ action, transform }) => (transform === null ? action : `${action}, by ${transform.module}`),
  },
  { title: 'Signed by', show: ({ signature }) => signature ?? 'a token' },
]

function PauseButton({ mapping: { id, isPaused } }: { mapping: HookMapping }) {
  const change = useServiceChange('hooks')
  return (
    <button
      type="button"
      className="small"
      disabled={change.isPending}
      aria-label={`${isPaused ? 'Go on with' : 'Pause'} ${id}`}
      onClick={() => change.mutate({ path: admin(isPaused ? '/resume' : '/pause'), body: { mapping: id } })}
    >
      {isPaused ? 'Go on' : 'Pause'}
    </button>
  )
}
