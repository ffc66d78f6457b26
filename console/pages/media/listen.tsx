import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/client.ts'
import { useProject } from '../../app/projects.tsx'
import { Failure } from '../../parts/failure.tsx'
import { ModelField } from './model-field.tsx'
import { useModelsFor } from './use-models-for.ts'
import { useRecorder } from './use-recorder.ts'

export function Listen() {
  const { project } = useProject()
  const models = useModelsFor('audio_transcriptions') ?? []
  const [model, setModel] = useState('')
  const writing = useMutation({
    mutationFn: (sound: File) => {
      const form = new FormData()
      form.append('model', model === '' ? (models[0] ?? '') : model)
      form.append('file', sound)
      return ask<{ text: string }>('/v1/audio/transcriptions', { method: 'POST', body: form, project: project.id })
    },
  })
  const recorder = useRecorder(writing.mutate)
  return (
    <section className="card">
      <h2>Write speech down</h2>
      <ModelField models={models} value={model} choose={setModel} />
      <label className="field">
        <span>A sound file</span>
        <input
          type="file"
          accept="audio/*,video/webm,video/mp4"
          disabled={models.length === 0}
          onChange={({ target }) => {
            const [file] = target.files ?? []
            if (file !== undefined) writing.mutate(file)
          }}
        />
      </label>
      {recorder.canRecord && (
        <button type="button" onClick={recorder.isRecording ? recorder.stop : recorder.start}>
          {recorder.isRecording ? 'Stop and write down' : 'Record with the microphone'}
        </button>
      )}
      {recorder.problem !== undefined && (
        <p className="wrong" role="alert">
          {recorder.problem}
        </p>
      )}
      {writing.isPending && <p role="status">Listening …</p>}
      {writing.error && <Failure error={writing.error} />}
      {writing.data !== undefined && (
        <p className="as-typed heard" role="status">
          {writing.data.text === '' ? 'Nobody speaks in it.' : writing.data.text}
        </p>
      )}
    </section>
  )
}
