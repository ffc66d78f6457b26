import { useState } from 'react'
import { ask } from '../../api/client.ts'
import type { AssistantObject, VectorStoreObject } from '../../api/types.ts'
import { useList } from '../../api/use-list.ts'
import { Choice } from '../../parts/choice.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { TextField } from '../../parts/text-field.tsx'
import { isForChat, useModels } from '../playground/models.ts'
import { assistantsPath } from './paths.ts'

interface Props {
  project: string
  onMade(id: string): void
  onClose(): void
}

export function NewAssistantDialog({ project, onMade, onClose }: Props) {
  const models = useModels().data?.data.map(({ id }) => id) ?? []
  const stores = useList<VectorStoreObject>({ path: '/v1/vector_stores', project })
  const [name, setName] = useState('')
  const [model, setModel] = useState('atoll-chat')
  const [instructions, setInstructions] = useState('')
  const [store, setStore] = useState('none')
  const [hasPython, setHasPython] = useState(false)
  const body = {
    name,
    model,
    instructions,
    tools: [
      ...(store === 'none' ? [] : [{ type: 'file_search' }]),
      ...(hasPython ? [{ type: 'code_interpreter' }] : []),
    ],
    ...(store === 'none' ? {} : { tool_resources: { file_search: { vector_store_ids: [store] } } }),
  }
  const names = stores.items?.map((one) => [one.id, one.name === '' ? one.id : one.name]) ?? []
  return (
    <FormDialog
      title="Make an assistant"
      action="Make it"
      save={() => ask<AssistantObject>(assistantsPath, { method: 'POST', body, project })}
      changed={[assistantsPath]}
      onSaved={({ id }) => {
        onMade(id)
        onClose()
      }}
      onClose={onClose}
    >
      <TextField label="Name" value={name} change={setName} placeholder="Support desk" />
      <Choice
        label="Model"
        options={Object.fromEntries(models.filter(isForChat).map((id) => [id, id]))}
        value={model}
        choose={setModel}
      />
      <label className="field">
        <span>Instructions</span>
        <textarea
          rows={3}
          maxLength={256_000}
          value={instructions}
          placeholder="Answer briefly, from the files alone."
          onChange={({ target }) => setInstructions(target.value)}
        />
      </label>
      <Choice
        label="Files it searches"
        options={{ none: 'none', ...Object.fromEntries(names) }}
        value={store}
        choose={setStore}
      />
      <label className="check">
        <input type="checkbox" checked={hasPython} onChange={({ target }) => setHasPython(target.checked)} />
        It runs Python (code interpreter)
      </label>
    </FormDialog>
  )
}
