import type { Activity } from './spoken.ts'
import type { CallState } from './use-voice.ts'

const words: Record<Activity, string> = {
  listening: 'Listening: say something.',
  hearing: 'You are speaking.',
  thinking: 'Thinking …',
  speaking: 'The model is speaking.',
}

interface Props {
  state: CallState
  activity: Activity
  peak: number
}

export function VoiceState({ state, activity, peak }: Props) {
  if (state === 'idle') return null
  return (
    <div className="voice-state">
      <p role="status">{state === 'opening' ? 'Opening the microphone …' : words[activity]}</p>
      <meter aria-label="Microphone" min={0} max={1} value={peak} />
    </div>
  )
}
