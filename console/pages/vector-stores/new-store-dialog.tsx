import { type FormEvent, useState } from 'react'
import { ask } from '../../api/client.ts'
import type { FileObject, VectorStoreObject } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { useList } from '../../api/use-list.ts'
import { useProject } from '../../app/projects.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Waiting } from '../../parts/waiting.tsx'

const path = '/v1/vector_stores'

export function NewStoreDialog({ onClose }: { onClose(): void }) {
  const { project } = useProject()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<string[]>([])
  const make = useChange(
    () => ask<VectorStoreObject>(path, { method: 'POST', body: { name, file_ids: chosen }, project: project.id }),
    [path],
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate(undefined, { onSuccess: onClose })
  }
  return (
    <Dialog title="Make a vector store" onClose={onClose}>
      <form onSubmit={submit}>
        <label className="field">
          <span>Name</span>
          <input required maxLength={256} value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <FileChoice project={project.id} chosen={chosen} choose={setChosen} />
        <div className="dialog-actions">
          <button type="submit" className="primary" disabled={make.isPending}>
            Make it
          </button>
        </div>
      </form>
    </Dialog>
  )
}

interface ChoiceProps {
  project: string
  chosen: string[]
  choose(ids: string[]): void
}

function FileChoice({ project, chosen, choose }: ChoiceProps) {
  const { items, hasNextPage, fetchNextPage } = useList<FileObject>({
    path: '/v1/files',
    project,
    query: { purpose: 'assistants' },
  })
  if (items === undefined) return <Waiting what="files" />
  if (items.length === 0) return <p className="muted">Files can be added once they are uploaded on the page Files.</p>
  return (
    <fieldset className="file-choice">
      <legend>Files</legend>
      {items.map(({ id, filename }) => (
        <label key={id} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={({ target }) => choose(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))}
          />
          <span className="long">{filename}</span>
        </label>
      ))}
      {hasNextPage && (
        <button type="button" className="small" onClick={() => fetchNextPage()}>
          Show more
        </button>
      )}
    </fieldset>
  )
}
