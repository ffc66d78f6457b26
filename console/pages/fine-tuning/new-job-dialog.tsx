import { useState } from 'react'
import { ask } from '../../api/client.ts'
import type { FineTuningJob } from '../../api/types.ts'
import { useProject } from '../../app/projects.tsx'
import { Choice } from '../../parts/choice.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { TextField } from '../../parts/text-field.tsx'
import { FileField } from '../files/file-field.tsx'
import { isForChat, useModels } from '../playground/models.ts'
import { jobsPath } from './paths.ts'

interface Props {
  onMade(id: string): void
  onClose(): void
}

export function NewJobDialog({ onMade, onClose }: Props) {
  const { project } = useProject()
  const models = useModels().data?.data.map(({ id }) => id) ?? []
  const bases = models.filter((id) => isForChat(id) && !id.startsWith('ft:'))
  const [model, setModel] = useState('atoll-chat')
  const [training, setTraining] = useState('')
  const [validation, setValidation] = useState('')
  const [suffix, setSuffix] = useState('')
  const [epochs, setEpochs] = useState('')
  const body = {
    model,
    training_file: training,
    ...(validation === '' ? {} : { validation_file: validation }),
    ...(suffix === '' ? {} : { suffix }),
    ...(epochs === '' ? {} : { hyperparameters: { n_epochs: Number(epochs) } }),
  }
  return (
    <FormDialog
      title="Train a model"
      action="Begin"
      save={() => ask<FineTuningJob>(jobsPath, { method: 'POST', body, project: project.id })}
      changed={[jobsPath]}
      onSaved={({ id }) => {
        onMade(id)
        onClose()
      }}
      onClose={onClose}
    >
      <Choice label="Base" options={Object.fromEntries(bases.map((id) => [id, id]))} value={model} choose={setModel} />
      <FileField label="Examples to learn from" purpose="fine-tune" value={training} choose={setTraining} />
      <FileField
        label="Examples to be tried on (optional)"
        purpose="fine-tune"
        value={validation}
        choose={setValidation}
        isOptional
      />
      <TextField label="Name (optional)" value={suffix} change={setSuffix} isOptional maxLength={64} />
      <TextField label="Rounds (optional)" type="number" min={1} value={epochs} change={setEpochs} isOptional />
    </FormDialog>
  )
}
