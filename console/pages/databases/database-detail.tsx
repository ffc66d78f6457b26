import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { DatabaseObject } from '../../api/types.ts'
import { useConfirm } from '../../parts/confirm.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { useService, useServiceChange } from '../services/use-service.ts'
import { moduleText, placeOf } from './cluster.ts'
import { CommandLine } from './command-line.tsx'
import { DatabaseCharts } from './database-charts.tsx'
import { UpgradeDialog } from './upgrade-dialog.tsx'

export function DatabaseDetail({ uid }: { uid: number }) {
  const { data, error, refetch } = useService<DatabaseObject>('cluster', `/v1/bdbs/${uid}`, 3_000)
  const [isUpgrading, setIsUpgrading] = useState(false)
  const remove = useServiceChange('cluster')
  const confirm = useConfirm()
  const [, go] = useLocation()
  if (error) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Waiting what="the database" />
  const { name, status, module_list } = data
  const askToRemove = async () => {
    const text = 'All data in it is lost, and its clients are cut off. This cannot be undone.'
    if (!(await confirm({ title: `Delete ${name}?`, text, action: 'Delete it' }))) return
    remove.mutate({ path: `/v1/bdbs/${uid}`, method: 'DELETE' }, { onSuccess: () => go('/databases') })
  }
  return (
    <>
      <div className="detail-head">
        <h2 className="long">
          <Link href="/databases">Databases</Link> / {name}{' '}
          <span className={`tag ${status === 'active' ? 'good' : ''}`}>{status}</span>
        </h2>
        <div className="actions">
          {module_list.length > 0 && (
            <button type="button" className="primary" onClick={() => setIsUpgrading(true)}>
              Upgrade modules
            </button>
          )}
          <button type="button" className="danger" onClick={askToRemove} disabled={remove.isPending}>
            Delete
          </button>
        </div>
      </div>
      <p>
        <code>redis-cli -h {placeOf(data).replace(':', ' -p ')}</code>
        {module_list.length > 0 && ` with ${module_list.map(moduleText).join(', ')}`}
      </p>
      <DatabaseCharts uid={uid} />
      <CommandLine uid={uid} name={name} />
      {isUpgrading && <UpgradeDialog database={data} onClose={() => setIsUpgrading(false)} />}
    </>
  )
}
