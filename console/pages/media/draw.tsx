import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ask } from '../../api/client.ts'
import { useProject } from '../../app/projects.tsx'
import { Choice } from '../../parts/choice.tsx'
import { Failure } from '../../parts/failure.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { useObjectUrl } from '../../parts/use-object-url.ts'
import { ModelField } from './model-field.tsx'
import { useModelsFor } from './use-models-for.ts'

const sizes = { '256x256': '256 × 256', '512x512': '512 × 512', '1024x1024': '1024 × 1024' }

export function Draw() {
  const { project } = useProject()
  const models = useModelsFor('images') ?? []
  const [model, setModel] = useState('')
  const [size, setSize] = useState<keyof typeof sizes>('512x512')
  const [prompt, setPrompt] = useState('')
  const drawing = useMutation({
    mutationFn: async () => {
      const body = { model: model === '' ? models[0] : model, prompt, size, response_format: 'b64_json' }
      const asking = { method: 'POST' as const, body, project: project.id }
      const { data } = await ask<{ data: { b64_json?: string }[] }>('/v1/images/generations', asking)
      return pictureOf(data[0]?.b64_json ?? '')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    drawing.mutate()
  }
  return (
    <section className="card">
      <h2>Draw a picture</h2>
      <form onSubmit={submit}>
        <label className="field">
          <span>What it shows</span>
          <textarea
            required
            rows={2}
            maxLength={1000}
            value={prompt}
            placeholder="three red apples on a table"
            onChange={({ target }) => setPrompt(target.value)}
          />
        </label>
        <ModelField models={models} value={model} choose={setModel} />
        <Choice label="Size" options={sizes} value={size} choose={setSize} />
        <button type="submit" className="primary" disabled={drawing.isPending || models.length === 0}>
          {drawing.isPending ? 'Drawing …' : 'Draw'}
        </button>
      </form>
      {drawing.error && <Failure error={drawing.error} />}
      {drawing.data !== undefined && <Picture picture={drawing.data} label={prompt} />}
    </section>
  )
}

function Picture({ picture, label }: { picture: Blob; label: string }) {
  const url = useObjectUrl(picture)
  if (url === undefined) return null
  return (
    <>
      <img className="picture" src={url} alt={label} />
      <button type="button" className="small" onClick={() => saveFile('picture.png', picture)}>
        Save it
      </button>
    </>
  )
}

const pictureOf = (base64: string): Blob =>
  new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], { type: 'image/png' })
