import { useState } from 'react'
import { Link } from 'wouter'
import type { DatabaseObject } from '../../api/types.ts'
import { Empty } from '../../parts/empty.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { SimpleTable } from '../../parts/simple-table.tsx'
import { sizeText } from '../../parts/texts.ts'
import { useService } from '../services/use-service.ts'
import { moduleText, placeOf } from './cluster.ts'
import { NewDatabaseDialog } from './new-database-dialog.tsx'

const columns: Column<DatabaseObject>[] = [
  {
    title: 'Name',
    show: ({ uid, name }) => (
      <Link className="long" href={`/databases?database=${uid}`}>
        {name}
      </Link>
    ),
  },
  {
    title: 'State',
    show: ({ status }) => <span className={`tag ${status === 'active' ? 'good' : ''}`}>{status}</span>,
  },
  { title: 'Server', show: ({ engine, redis_version }) => `${engine} ${redis_version}` },
  { title: 'Address', show: (database) => <code>{placeOf(database)}</code> },
  {
    title: 'Modules',
    show: ({ module_list }) => <span className="long">{module_list.map(moduleText).join(', ')}</span>,
  },
  { title: 'Memory', show: ({ memory_size }) => (memory_size === 0 ? 'no limit' : `at most ${sizeText(memory_size)}`) },
  { title: 'Copies', show: ({ replication }) => (replication ? 'a replica' : 'none') },
  { title: 'Kept by', show: ({ data_persistence }) => data_persistence },
]

export function DatabaseList() {
  const { data, error, refetch } = useService<DatabaseObject[]>('cluster', '/v1/bdbs', 3_000)
  const [isMaking, setIsMaking] = useState(false)
  return (
    <>
      <div className="filters">
        <button type="button" className="primary" onClick={() => setIsMaking(true)}>
          Make a database
        </button>
      </div>
      <SimpleTable
        name="Databases"
        items={data}
        error={error}
        again={refetch}
        columns={columns}
        idOf={({ uid }) => String(uid)}
        empty={<Empty title="There are no databases." code="./atoll cluster create orders" />}
      />
      {isMaking && <NewDatabaseDialog onClose={() => setIsMaking(false)} />}
    </>
  )
}
