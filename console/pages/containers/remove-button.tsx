import { useConfirm } from '../../parts/confirm.tsx'
import { useServiceChange } from '../services/use-service.ts'

/** `text` says what is lost by it. */
export function RemoveButton({ name, path, text }: { name: string; path: string; text: string }) {
  const change = useServiceChange('engine')
  const confirm = useConfirm()
  const remove = async () => {
    if (await confirm({ title: `Remove ${name}?`, text, action: 'Remove it' }))
      change.mutate({ path, method: 'DELETE' })
  }
  return (
    <button type="button" className="danger small" aria-label={`Remove ${name}`} onClick={remove}>
      Remove
    </button>
  )
}
