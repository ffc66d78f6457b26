import { useState } from 'react'
import { ask } from '../../api/client.ts'
import type { FileObject } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { useList } from '../../api/use-list.ts'
import { useProject } from '../../app/projects.tsx'
import { useConfirm } from '../../parts/confirm.tsx'
import { Empty } from '../../parts/empty.tsx'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { sizeText } from '../../parts/texts.ts'
import { Time } from '../../parts/time.tsx'
import { DropZone } from './drop-zone.tsx'
import { type Upload, useUploads } from './use-uploads.ts'

const path = '/v1/files'
const purposes = ['assistants', 'user_data', 'batch', 'fine-tune', 'vision']

export function FilesPage() {
  const { project } = useProject()
  const [purpose, setPurpose] = useState('assistants')
  const list = useList<FileObject>({ path, project: project.id })
  const { uploads, add, again } = useUploads(project.id, purpose)
  const confirm = useConfirm()
  const remove = useChange(
    ({ id }: FileObject) => ask(`${path}/${id}`, { method: 'DELETE', project: project.id }),
    [path, '/v1/vector_stores'],
  )
  const askToRemove = async (file: FileObject) => {
    const text = 'It is taken out of every vector store and assistant that uses it. This cannot be undone.'
    if (await confirm({ title: `Delete ${file.filename}?`, text, action: 'Delete it' })) remove.mutate(file)
  }
  const columns: Column<FileObject>[] = [
    { title: 'Name', show: ({ filename }) => <span className="long">{filename}</span> },
    { title: 'Size', show: ({ bytes }) => <span className="nowrap">{sizeText(bytes)}</span> },
    { title: 'Purpose', show: ({ purpose: its }) => <span className="tag">{its}</span> },
    { title: 'Uploaded', show: ({ created_at }) => <Time seconds={created_at} /> },
    { title: 'Id', show: ({ id }) => <code>{id}</code> },
    {
      title: 'Actions',
      show: (file) => (
        <button
          type="button"
          className="danger small"
          onClick={() => askToRemove(file)}
          aria-label={`Delete ${file.filename}`}
        >
          Delete
        </button>
      ),
    },
  ]
  return (
    <>
      <PageHead title="Files" about={`Of the project ${project.name}.`}>
        <label className="inline">
          <span>Purpose of new files</span>
          <select value={purpose} onChange={(event) => setPurpose(event.target.value)}>
            {purposes.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </PageHead>
      <DropZone add={add} />
      <Uploads uploads={uploads} again={again} />
      <ListTable
        name="Files"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={<Empty title="There are no files yet. Drop one above, or send it:" code={example} />}
      />
    </>
  )
}

const example = `curl ${location.origin}/v1/files -H "Authorization: Bearer $OPENAI_API_KEY" \\
  -F purpose=assistants -F file=@notes.pdf`

const Uploads = ({ uploads, again }: { uploads: Upload[]; again(upload: Upload): void }) => (
  <ul className="uploads" aria-live="polite">
    {uploads
      .filter(({ state }) => state !== 'done')
      .map((one) => (
        <li key={one.id}>
          <span className="long">{one.file.name}</span>
          {one.state === 'failed' ? (
            <>
              <span className="wrong">{one.problem}</span>
              <button type="button" className="small" onClick={() => again(one)}>
                Go on
              </button>
            </>
          ) : (
            <progress value={one.share} max={1} aria-label={`Upload of ${one.file.name}`} />
          )}
        </li>
      ))}
  </ul>
)
