import { ask } from '../../api/client.ts'
import type { FineTuningJob } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { useProject } from '../../app/projects.tsx'
import { jobsPath } from './paths.ts'

type Action = 'pause' | 'resume' | 'cancel'

/** What can be done about a training that has not ended. */
export function JobActions({ job }: { job: FineTuningJob }) {
  const { project } = useProject()
  const { mutate, isPending } = useChange(
    (action: Action) => ask(`${jobsPath}/${job.id}/${action}`, { method: 'POST', project: project.id }),
    [jobsPath],
  )
  const next = job.status === 'paused' ? 'resume' : 'pause'
  return (
    <>
      <button type="button" className="quiet small" onClick={() => mutate(next)} disabled={isPending}>
        {next === 'pause' ? 'Pause' : 'Go on'}
      </button>{' '}
      <button type="button" className="danger small" onClick={() => mutate('cancel')} disabled={isPending}>
        Cancel the training
      </button>
    </>
  )
}
