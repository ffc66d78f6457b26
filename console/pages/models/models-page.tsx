import { useState } from 'react'
import type { RuntimeObject } from '../../api/types.ts'
import { useIsAdmin } from '../../app/session.ts'
import { Failure } from '../../parts/failure.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { isForChat, useModels } from '../playground/models.ts'
import { ModelFiles } from './model-files.tsx'
import type { ModelRow } from './model-row.ts'
import { ModelsTable } from './models-table.tsx'
import { RuntimesTable } from './runtimes-table.tsx'
import { SpeedTest } from './speed-test.tsx'
import { useRuntimes } from './use-runtimes.ts'

export function ModelsPage() {
  const isAdmin = useIsAdmin()
  const runtimes = useRuntimes()
  const models = useModels()
  const [tested, setTested] = useState<string>()
  const error = runtimes.error ?? models.error
  if (error) return <Failure error={error} again={() => Promise.all([runtimes.refetch(), models.refetch()])} />
  if (models.data === undefined || (isAdmin && runtimes.data === undefined)) return <Waiting what="models" />
  const all = runtimes.data?.data ?? []
  const rows = models.data.data.map(({ id, owned_by }): ModelRow => {
    const runtime = all.find((one) => one.models.some((model) => model.id === id))
    const serves = runtime?.models.find((model) => model.id === id)?.serves ?? servesByName(id)
    return { id, ownedBy: owned_by, serves, runtime }
  })
  return (
    <>
      <PageHead title="Models" about={isAdmin ? 'What answers which id, and what runs it.' : 'What answers here.'} />
      {tested !== undefined && <SpeedTest key={tested} model={tested} onClose={() => setTested(undefined)} />}
      <ModelsTable rows={rows} test={setTested} showsRuntimes={isAdmin} />
      {isAdmin && <Machinery runtimes={all} />}
    </>
  )
}

/** Of a model that was fine-tuned here, and for whoever is not told what runs it. */
const servesByName = (id: string): string[] => (isForChat(id) ? ['chat'] : [])

const Machinery = ({ runtimes }: { runtimes: RuntimeObject[] }) => (
  <>
    <h2 className="section-title">Runtimes</h2>
    <RuntimesTable runtimes={runtimes} />
    <h2 className="section-title">Get another model</h2>
    <p className="muted">
      The newest file in the models folder answers chats from the next start on; other ids are given to files and
      servers by the configuration. Others than these are brought by <code>./atoll models pull</code>.
    </p>
    <ModelFiles />
  </>
)
