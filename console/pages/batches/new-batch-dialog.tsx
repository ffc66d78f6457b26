import { useState } from 'react'
import { ask } from '../../api/client.ts'
import type { BatchObject } from '../../api/types.ts'
import { useProject } from '../../app/projects.tsx'
import { Choice } from '../../parts/choice.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { FileField } from '../files/file-field.tsx'
import { batchesPath } from './paths.ts'

const endpoints = {
  '/v1/chat/completions': '/v1/chat/completions',
  '/v1/responses': '/v1/responses',
  '/v1/embeddings': '/v1/embeddings',
  '/v1/completions': '/v1/completions',
}

export function NewBatchDialog({ onClose }: { onClose(): void }) {
  const { project } = useProject()
  const [file, setFile] = useState('')
  const [endpoint, setEndpoint] = useState<keyof typeof endpoints>('/v1/chat/completions')
  const body = { input_file_id: file, endpoint, completion_window: '24h' }
  return (
    <FormDialog
      title="Make a batch"
      action="Make it"
      save={() => ask<BatchObject>(batchesPath, { method: 'POST', body, project: project.id })}
      changed={[batchesPath]}
      onClose={onClose}
    >
      <FileField label="File of requests" purpose="batch" value={file} choose={setFile} />
      <Choice label="Endpoint" options={endpoints} value={endpoint} choose={setEndpoint} />
    </FormDialog>
  )
}
