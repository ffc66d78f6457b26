import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { send } from '../../api/client.ts'
import { useProject } from '../../app/projects.tsx'
import { Choice } from '../../parts/choice.tsx'
import { Failure } from '../../parts/failure.tsx'
import { useObjectUrl } from '../../parts/use-object-url.ts'
import { ModelField } from './model-field.tsx'
import { useModelsFor } from './use-models-for.ts'
import { voices } from './voices.ts'

export function Speak() {
  const { project } = useProject()
  const models = useModelsFor('audio_speeches') ?? []
  const [model, setModel] = useState('')
  const [voice, setVoice] = useState('alloy')
  const [input, setInput] = useState('')
  const body = { model: model === '' ? models[0] : model, voice, input, response_format: 'mp3' }
  const speech = useMutation({
    mutationFn: async () => (await send('/v1/audio/speech', { method: 'POST', body, project: project.id })).blob(),
  })
  const url = useObjectUrl(speech.data)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    speech.mutate()
  }
  return (
    <section className="card">
      <h2>Speak a text</h2>
      <form onSubmit={submit}>
        <label className="field">
          <span>Text</span>
          <textarea
            required
            rows={3}
            maxLength={4096}
            value={input}
            placeholder="The ferry leaves at half past seven."
            onChange={({ target }) => setInput(target.value)}
          />
        </label>
        <ModelField models={models} value={model} choose={setModel} />
        <Choice label="Voice" options={voices} value={voice} choose={setVoice} />
        <button type="submit" className="primary" disabled={speech.isPending || models.length === 0}>
          {speech.isPending ? 'Speaking …' : 'Speak'}
        </button>
      </form>
      {speech.error && <Failure error={speech.error} />}
      {/* biome-ignore lint/a11y/useMediaCaption: its words are the text above */}
      {url !== undefined && <audio controls src={url} aria-label="The spoken text" />}
    </section>
  )
}
