import { useState } from 'react'
import { Empty } from '../../parts/empty.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { SimpleTable } from '../../parts/simple-table.tsx'
import { useService, useServiceChange } from '../services/use-service.ts'
import { admin, type Mapping } from './gateway.ts'
import { TryDialog } from './try-dialog.tsx'

const example = `hooks:
  mappings:
    - id: github
      match: { path: github }
      action: agent
      name: GitHub
      messageTemplate: "{{repository.full_name}}: {{head_commit.message}}"`

export function MappingsTab() {
  const { data, error, refetch } = useService<{ mappings: Mapping[] }>('hooks', admin('/mappings'))
  const change = useServiceChange('hooks')
  const [tried, setTried] = useState<Mapping>()
  const columns: Column<Mapping>[] = [
    { title: 'Mapping', show: ({ id, isPreset }) => <span className="long">{isPreset ? `${id} (preset)` : id}</span> },
    { title: 'Takes', show: ({ match: { path, source } }) => <code>{path ?? source ?? 'everything'}</code> },
    {
      title: 'Makes of it',
      show: ({ action, transform }) => (transform === null ? action : `${action}, by ${transform.module}`),
    },
    { title: 'Signed by', show: ({ signature }) => signature ?? 'a token' },
    {
      title: 'Actions',
      show: (mapping) => (
        <div className="actions">
          <button type="button" className="small" aria-label={`Try ${mapping.id}`} onClick={() => setTried(mapping)}>
            Try
          </button>
          <button
            type="button"
            className="small"
            disabled={change.isPending}
            aria-label={`${mapping.isPaused ? 'Go on with' : 'Pause'} ${mapping.id}`}
            onClick={() =>
              change.mutate({ path: admin(mapping.isPaused ? '/resume' : '/pause'), body: { mapping: mapping.id } })
            }
          >
            {mapping.isPaused ? 'Go on' : 'Pause'}
          </button>
        </div>
      ),
    },
  ]
  return (
    <>
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
