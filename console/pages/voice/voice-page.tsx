import { useState } from 'react'
import { useProject } from '../../app/projects.tsx'
import { Choice } from '../../parts/choice.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { ModelField } from '../media/model-field.tsx'
import { voices } from '../media/voices.ts'
import { isForChat, useModels } from '../playground/models.ts'
import { Transcript } from './transcript.tsx'
import { useVoice } from './use-voice.ts'
import { VoiceState } from './voice-state.tsx'

const ownModel = 'atoll-chat'

export function VoicePage() {
  const { data, error, refetch } = useModels()
  if (error) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Waiting what="models" />
  const models = data.data.map(({ id }) => id).filter(isForChat)
  if (models.length === 0) {
    return <Empty title="There is no model to talk to." code="./atoll models pull qwen2.5-0.5b-instruct" />
  }
  return <Voice models={models} />
}

function Voice({ models }: { models: string[] }) {
  const { project } = useProject()
  const [model, setModel] = useState(models.includes(ownModel) ? ownModel : (models[0] ?? ''))
  const [voice, setVoice] = useState('alloy')
  const [instructions, setInstructions] = useState('')
  const call = useVoice()
  const begin = () => void call.begin({ model, voice, instructions, project: project.id })
  return (
    <>
      <PageHead title="Voice" about="Talk with a model. It answers when you pause, and stops when you speak." />
      <div className="voice-settings">
        <fieldset disabled={call.state !== 'idle'}>
          <legend className="visually-hidden">The conversation</legend>
          <ModelField models={models} value={model} choose={setModel} />
          <Choice label="Voice" options={voices} value={voice} choose={setVoice} />
          <label className="field">
            <span>Instructions (optional)</span>
            <input
              maxLength={4000}
              value={instructions}
              placeholder="Answer in one short sentence."
              onChange={({ target }) => setInstructions(target.value)}
            />
          </label>
        </fieldset>
        {call.state === 'idle' ? (
          <button type="button" className="primary" onClick={begin}>
            Begin to talk
          </button>
        ) : (
          <div className="actions">
            <button type="button" className="danger" onClick={call.end} disabled={call.state === 'opening'}>
              Hang up
            </button>
            <button type="button" aria-pressed={call.isMuted} onClick={() => call.mute(!call.isMuted)}>
              Mute
            </button>
          </div>
        )}
        <VoiceState state={call.state} activity={call.spoken.activity} peak={call.peak} />
      </div>
      {call.problem !== undefined && (
        <p className="wrong" role="alert">
          {call.problem}
        </p>
      )}
      <Transcript utterances={call.spoken.utterances} />
    </>
  )
}
