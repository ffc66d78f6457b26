import { lazy, Suspense } from 'react'
import { Link, useLocation } from 'wouter'
import { Failure } from '../../parts/failure.tsx'
import { Tabs, useTab } from '../../parts/tabs.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { useService } from '../services/use-service.ts'
import { ContainerActions } from './container-actions.tsx'
import { at, type ContainerDetail } from './engine.ts'
import { FilesView } from './files-view.tsx'
import { LogsView } from './logs-view.tsx'
import { SettingsView } from './settings-view.tsx'
import { StateTag } from './state-tag.tsx'
import { StatsView } from './stats-view.tsx'

/** Its terminal is large: it comes when it is asked for. */
const TerminalView = lazy(async () => ({ default: (await import('./terminal-view.tsx')).TerminalView }))

const views = { logs: 'Logs', stats: 'Figures', terminal: 'Terminal', files: 'Files', settings: 'Settings' } as const

export function ContainerDetailView({ id }: { id: string }) {
  const { data, error, refetch } = useService<ContainerDetail>('engine', at(id, '/json'), 3_000)
  const view = useTab(views, 'view')
  const [, go] = useLocation()
  if (error) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Waiting what="the container" />
  const name = data.Name.replace(/^\//, '')
  return (
    <>
      <div className="detail-head">
        <h2 className="long">
          <Link href="/containers">Containers</Link> / {name} <StateTag state={data.State.Status} />
        </h2>
        <ContainerActions id={id} name={name} state={data.State.Status} onRemoved={() => go('/containers')} />
      </div>
      <Tabs label={`Parts of ${name}`} tabs={views} chosen={view} name="view" keep={{ container: id }} />
      <Suspense fallback={<Waiting what="the terminal" />}>
        {view === 'logs' && <LogsView id={id} isRunning={data.State.Running} />}
        {view === 'stats' && <StatsView id={id} isRunning={data.State.Running} />}
        {view === 'terminal' && <TerminalView id={id} isRunning={data.State.Running} name={name} />}
        {view === 'files' && <FilesView id={id} name={name} />}
        {view === 'settings' && <SettingsView container={data} />}
      </Suspense>
    </>
  )
}
