import type { ActionObject, UpgradeAnswer } from '../../api/types.ts'
import { stepWords } from './upgrade-plan.tsx'

interface Props {
  answer: UpgradeAnswer
  action: ActionObject | undefined
  /** Once it has ended well. */
  done: UpgradeAnswer | undefined
}

export function UpgradeProgress({ answer, action, done }: Props) {
  const changes = answer.modules.map(
    ({ module_name, previous_semantic_version, semantic_version }) =>
      `${module_name} ${previous_semantic_version} → ${semantic_version}`,
  )
  const { status = 'pending', progress = 0, state = '', error } = action ?? {}
  return (
    <div role="status">
      <p>
        {changes.join(', ')}: <strong>{status}</strong>
      </p>
      <progress value={progress} max={100} aria-label="Upgrade" /> {Math.round(progress)} %
      {status === 'active' && <p className="muted">{`${state} ${stepWords[state] ?? ''}`.trim()}</p>}
      {status === 'failed' && <p className="wrong long">{error ?? 'It has failed.'}</p>}
      {done?.longest_pause_ms !== undefined && (
        <p>The longest that clients had to wait: {Math.ceil(done.longest_pause_ms)} ms.</p>
      )}
      {done?.discarded_data && (
        <p className="wrong">The data could not be carried over: the database has begun empty.</p>
      )}
      {status !== 'completed' && status !== 'failed' && <p className="muted">Closing this leaves it running.</p>}
    </div>
  )
}
