// What can be done with a container as it is now; what cannot is not offered.
import { useConfirm } from '../../parts/confirm.tsx'
import { useServiceChange } from '../services/use-service.ts'
import { at } from './engine.ts'

interface Props {
  id: string
  name: string
  state: string
  onRemoved?: () => void
}

const verbs: Record<string, [path: string, label: string][]> = {
  running: [
    ['/stop', 'Stop'],
    ['/restart', 'Restart'],
  ],
  paused: [['/unpause', 'Go on']],
  restarting: [['/stop', 'Stop']],
  created: [['/start', 'Start']],
  exited: [['/start', 'Start']],
}

export function ContainerActions({ id, name, state, onRemoved }: Props) {
  const change = useServiceChange('engine')
  const confirm = useConfirm()
  const isUp = state === 'running' || state === 'paused' || state === 'restarting'
  const remove = async () => {
    const text = `${isUp ? 'It runs, and is killed. ' : ''}What it has written outside of volumes is lost.`
    if (!(await confirm({ title: `Remove ${name}?`, text, action: 'Remove it' }))) return
    change.mutate({ path: at(id, isUp ? '?force=1' : ''), method: 'DELETE' }, { onSuccess: () => onRemoved?.() })
  }
  return (
    <div className="actions">
      {(verbs[state] ?? []).map(([path, label]) => (
        <button
          key={path}
          type="button"
          className="small"
          disabled={change.isPending}
          aria-label={`${label} ${name}`}
          onClick={() => change.mutate({ path: at(id, path) })}
        >
          {label}
        </button>
      ))}
      <button type="button" className="danger small" aria-label={`Remove ${name}`} onClick={remove}>
        Remove
      </button>
    </div>
  )
}
