import type { BatchObject } from '../../api/types.ts'

const tones: Partial<Record<BatchObject['status'], string>> = { completed: 'good', failed: 'bad', expired: 'bad' }
const shownErrors = 5

export function BatchProgress({ batch: { status, request_counts, errors } }: { batch: BatchObject }) {
  const { total, completed, failed } = request_counts
  const problems = errors?.data ?? []
  return (
    <>
      <span className={`tag ${tones[status] ?? ''}`}>{status.replace('_', ' ')}</span>{' '}
      {total > 0 && (
        <span className="nowrap">
          {status === 'in_progress' && <progress value={completed + failed} max={total} aria-label="Requests done" />}{' '}
          {completed} of {total}
        </span>
      )}{' '}
      {failed > 0 && <span className="tag bad">{failed} failed</span>}
      {problems.slice(0, shownErrors).map(({ line, message }) => (
        <p key={`${line}-${message}`} className="wrong long">
          {line === null ? '' : `Line ${line}: `}
          {message}
        </p>
      ))}
      {problems.length > shownErrors && <p className="muted">and {problems.length - shownErrors} more</p>}
    </>
  )
}
