import type { FineTuningJob } from '../../api/types.ts'
import { timeText } from '../../parts/texts.ts'

export const isUnderWay = ({ status }: FineTuningJob): boolean =>
  ['validating_files', 'queued', 'running', 'paused'].includes(status)

const tones: Partial<Record<FineTuningJob['status'], string>> = { succeeded: 'good', failed: 'bad' }

export const JobStatus = ({ job: { status, error, estimated_finish } }: { job: FineTuningJob }) => (
  <>
    <span className={`tag ${tones[status] ?? ''}`}>{status.replace('_', ' ')}</span>
    {status === 'running' && estimated_finish !== null && (
      <span className="muted"> until about {timeText(estimated_finish)}</span>
    )}
    {status === 'failed' && error !== null && <div className="wrong long">{error.message}</div>}
  </>
)
