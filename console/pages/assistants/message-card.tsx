import { useState } from 'react'
import { downloadFile } from '../../api/download-file.ts'
import type { MessageObject, RunStepObject } from '../../api/types.ts'
import { Markdown } from '../../markdown/markdown.tsx'
import { FileImage } from '../../parts/file-image.tsx'
import { type Citation, citedText } from './citations.ts'
import { PassageDialog } from './passage-dialog.tsx'

interface Props {
  message: MessageObject
  steps: RunStepObject[]
  project: string
}

export function MessageCard({ message: { role, content, status }, steps, project }: Props) {
  return (
    <article className={`message ${role}`}>
      <div className="message-head">
        <strong>{role === 'user' ? 'You' : 'Assistant'}</strong>
      </div>
      {content.length === 0 && status === 'in_progress' && <p className="muted">Writing …</p>}
      {content.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts are only ever added at the end
        <Part key={index} part={part} steps={steps} project={project} role={role} />
      ))}
    </article>
  )
}

interface PartProps {
  part: MessageObject['content'][number]
  steps: RunStepObject[]
  project: string
  role: MessageObject['role']
}

function Part({ part, ...around }: PartProps) {
  if (part.type === 'text') return <Text text={part.text} {...around} />
  if (part.type === 'refusal') return <p>{part.refusal}</p>
  if (part.type === 'image_url') return <p className="muted">A picture from elsewhere, not shown here.</p>
  return <FileImage id={part.image_file.file_id} project={around.project} label="Picture of the assistant" />
}

interface TextProps extends Omit<PartProps, 'part'> {
  text: { value: string; annotations: Parameters<typeof citedText>[1] }
}

function Text({ text: { value, annotations }, steps, project, role }: TextProps) {
  const [opened, setOpened] = useState<Citation>()
  const { text, citations, files } = citedText(value, annotations)
  return (
    <>
      {role === 'user' ? <p className="as-typed">{value}</p> : <Markdown text={text} />}
      {citations.length > 0 && (
        <p className="citations">
          {citations.map((citation) => (
            <button key={citation.number} type="button" className="small" onClick={() => setOpened(citation)}>
              Source {citation.number}
            </button>
          ))}
        </p>
      )}
      {files.map((id) => (
        <button key={id} type="button" className="small" onClick={() => void downloadFile(id, id, project)}>
          Save {id}
        </button>
      ))}
      {opened !== undefined && <PassageDialog citation={opened} steps={steps} onClose={() => setOpened(undefined)} />}
    </>
  )
}
