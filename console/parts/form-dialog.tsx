import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { Failure } from './failure.tsx'

interface Props<Result> {
  title: string
  /** What the button says: a verb. */
  action: string
  save(): Promise<Result>
  /** Paths of the lists that show it. */
  changed: string[]
  onSaved?(result: Result): void
  onClose(): void
  children: ReactNode
}

/** A few fields that are sent together. What the server refuses stands in the dialog, and the fields stay as they are. */
export function FormDialog<Result>({ title, action, save, changed, onSaved, onClose, children }: Props<Result>) {
  const queries = useQueryClient()
  const saving = useMutation({
    mutationFn: save,
    onSuccess: async (result) => {
      await queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => changed.includes(String(name)) })
      if (onSaved === undefined) onClose()
      else onSaved(result)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saving.mutate()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        {saving.error && <Failure error={saving.error} />}
        <div className="dialog-actions">
          <button type="submit" className="primary" disabled={saving.isPending}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
