import type { FileObject } from '../../api/types.ts'
import { useList } from '../../api/use-list.ts'
import { useProject } from '../../app/projects.tsx'

interface Props {
  label: string
  purpose: string
  /** An id, or empty. */
  value: string
  choose(id: string): void
  isOptional?: boolean
}

/** One of the project's files of a purpose. */
export function FileField({ label, purpose, value, choose, isOptional = false }: Props) {
  const { project } = useProject()
  const list = useList<FileObject>({ path: '/v1/files', project: project.id, query: { purpose } })
  return (
    <div className="field">
      <label>
        <span>{label}</span>
        <select required={!isOptional} value={value} onChange={({ target }) => choose(target.value)}>
          <option value="">{isOptional ? 'none' : 'choose one'}</option>
          {list.items?.map(({ id, filename }) => (
            <option key={id} value={id}>
              {filename} ({id})
            </option>
          ))}
        </select>
      </label>
      {list.items?.length === 0 && (
        <p className="muted">There is none yet: upload one with the purpose {purpose} on the page Files.</p>
      )}
      {list.hasNextPage && (
        <button type="button" className="small" onClick={() => list.fetchNextPage()}>
          Show more
        </button>
      )}
    </div>
  )
}
