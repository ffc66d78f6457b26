import { useState } from 'react'
import type { FineTuningJob } from '../../api/types.ts'
import { useList } from '../../api/use-list.ts'
import { useProject } from '../../app/projects.tsx'
import { Empty } from '../../parts/empty.tsx'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Time } from '../../parts/time.tsx'
import { isUnderWay, JobStatus } from './job-status.tsx'
import { JobView } from './job-view.tsx'
import { NewJobDialog } from './new-job-dialog.tsx'
import { jobsPath } from './paths.ts'

const whileTrainingMs = 2_000

export function FineTuningPage() {
  const { project } = useProject()
  const [isBusy, setIsBusy] = useState(false)
  const [isMaking, setIsMaking] = useState(false)
  const [openedId, setOpenedId] = useState<string>()
  const list = useList<FineTuningJob>({ path: jobsPath, project: project.id, refetchMs: isBusy && whileTrainingMs })
  const stillBusy = list.items?.some(isUnderWay) ?? false
  if (stillBusy !== isBusy) setIsBusy(stillBusy)
  const opened = list.items?.find(({ id }) => id === openedId)
  const columns: Column<FineTuningJob>[] = [
    {
      title: 'Model',
      show: ({ model, fine_tuned_model }) => (
        <>
          <code>{model}</code>
          {fine_tuned_model !== null && <div className="long muted">{fine_tuned_model}</div>}
        </>
      ),
    },
    { title: 'State', show: (job) => <JobStatus job={job} /> },
    { title: 'Tokens learnt', show: ({ trained_tokens }) => trained_tokens?.toLocaleString('en') ?? '' },
    { title: 'Made', show: ({ created_at }) => <Time seconds={created_at} /> },
    {
      title: 'Actions',
      show: ({ id }) => (
        <button type="button" className="small" aria-label={`Open ${id}`} onClick={() => setOpenedId(id)}>
          Open
        </button>
      ),
    },
  ]
  return (
    <>
      <PageHead title="Fine-tuning" about="Models that learn from examples of the project.">
        <button type="button" className="primary" onClick={() => setIsMaking(true)}>
          Train a model
        </button>
      </PageHead>
      {opened !== undefined && <JobView key={opened.id} job={opened} onClose={() => setOpenedId(undefined)} />}
      <ListTable
        name="Fine-tuning jobs"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={<Empty title="Nothing was trained yet. Ten examples are enough to begin:" code={example} />}
      />
      {isMaking && <NewJobDialog onMade={setOpenedId} onClose={() => setIsMaking(false)} />}
    </>
  )
}

const example = `# examples.jsonl, one conversation a line:
{"messages": [{"role": "user", "content": "Where is my order?"}, {"role": "assistant", "content": "Let me look it up."}]}
curl ${location.origin}/v1/files -H "Authorization: Bearer $OPENAI_API_KEY" -F purpose=fine-tune -F file=@examples.jsonl`
