import { useState } from 'react'
import { ask } from '../../api/client.ts'
import { curlHere } from '../../api/curl.ts'
import type { VectorStoreObject } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { useList } from '../../api/use-list.ts'
import { useProject } from '../../app/projects.tsx'
import { useConfirm } from '../../parts/confirm.tsx'
import { Empty } from '../../parts/empty.tsx'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { sizeText } from '../../parts/texts.ts'
import { Time } from '../../parts/time.tsx'
import { Ingestion } from './ingestion.tsx'
import { NewStoreDialog } from './new-store-dialog.tsx'
import { SearchBox } from './search-box.tsx'

const path = '/v1/vector_stores'
const whileReadingMs = 1_000

export function VectorStoresPage() {
  const { project } = useProject()
  const [isReading, setIsReading] = useState(false)
  const [isMaking, setIsMaking] = useState(false)
  const [searched, setSearched] = useState<string>()
  const list = useList<VectorStoreObject>({ path, project: project.id, refetchMs: isReading && whileReadingMs })
  const stillReading = list.items?.some(({ status }) => status === 'in_progress') ?? false
  if (stillReading !== isReading) setIsReading(stillReading)
  const confirm = useConfirm()
  const remove = useChange(
    (store: VectorStoreObject) => ask(`${path}/${store.id}`, { method: 'DELETE', project: project.id }),
    [path],
  )
  const askToRemove = async (store: VectorStoreObject) => {
    const text = 'What was read of its files goes; the files themselves stay. This cannot be undone.'
    if (await confirm({ title: `Delete ${nameOf(store)}?`, text, action: 'Delete it' })) remove.mutate(store)
  }
  const columns = columnsWith({ search: ({ id }) => setSearched(id), remove: askToRemove })
  const chosen = list.items?.find(({ id }) => id === searched)
  return (
    <>
      <PageHead title="Vector stores" about="Files that are found by meaning and by words.">
        <button type="button" className="primary" onClick={() => setIsMaking(true)}>
          Make a store
        </button>
      </PageHead>
      {chosen !== undefined && <SearchBox key={chosen.id} store={chosen} onClose={() => setSearched(undefined)} />}
      <ListTable
        name="Vector stores"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          <Empty title="There are no vector stores yet. Make one of files you have uploaded, or:" code={example} />
        }
      />
      {isMaking && <NewStoreDialog onClose={() => setIsMaking(false)} />}
    </>
  )
}

const example = curlHere('/v1/vector_stores', { name: 'Handbook', file_ids: ['file-…'] })

const nameOf = ({ name, id }: VectorStoreObject): string => (name === '' ? id : name)

interface Actions {
  search(store: VectorStoreObject): void
  remove(store: VectorStoreObject): void
}

const columnsWith = ({ search, remove }: Actions): Column<VectorStoreObject>[] => [
  { title: 'Name', show: (store) => <span className="long">{nameOf(store)}</span> },
  { title: 'Files', show: (store) => <Ingestion counts={store.file_counts} /> },
  { title: 'Size', show: ({ usage_bytes }) => <span className="nowrap">{sizeText(usage_bytes)}</span> },
  { title: 'Last used', show: ({ last_active_at }) => <Time seconds={last_active_at} /> },
  { title: 'Id', show: ({ id }) => <code>{id}</code> },
  {
    title: 'Actions',
    show: (store) => (
      <div className="actions">
        <button type="button" className="small" onClick={() => search(store)} aria-label={`Search ${nameOf(store)}`}>
          Search
        </button>
        <button
          type="button"
          className="danger small"
          onClick={() => remove(store)}
          aria-label={`Delete ${nameOf(store)}`}
        >
          Delete
        </button>
      </div>
    ),
  },
]
