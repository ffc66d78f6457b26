import { Link } from 'wouter'
import type { FineTuningCheckpoint, FineTuningJob } from '../../api/types.ts'
import { useList } from '../../api/use-list.ts'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { jobsPath } from './paths.ts'

/** Each is a model of its own. */
export function Checkpoints({ job, project }: { job: FineTuningJob; project: string }) {
  const list = useList<FineTuningCheckpoint>({ path: `${jobsPath}/${job.id}/checkpoints`, project })
  const columns: Column<FineTuningCheckpoint>[] = [
    { title: 'Model', show: ({ fine_tuned_model_checkpoint: id }) => <code>{id}</code> },
    { title: 'Step', show: ({ step_number }) => step_number },
    { title: 'Loss', show: ({ metrics }) => metrics.train_loss.toFixed(3) },
    { title: 'Loss on others', show: ({ metrics }) => metrics.full_valid_loss?.toFixed(3) ?? '' },
    {
      title: 'Actions',
      show: ({ fine_tuned_model_checkpoint: id }) => (
        <Link href={`/playground?model=${encodeURIComponent(id)}`} aria-label={`Try it: ${id}`}>
          Try it
        </Link>
      ),
    },
  ]
  return (
    <>
      <h3>Checkpoints</h3>
      <ListTable
        name="Checkpoints"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={<p className="muted">None was kept.</p>}
      />
    </>
  )
}
