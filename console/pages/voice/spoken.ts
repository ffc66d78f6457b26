// A spoken conversation as the page shows it: what each event of the realtime API makes of it.

export interface Utterance {
  id: string
  role: 'user' | 'assistant'
  text: string
  /** Cut off by the person, or not understood. */
  note?: 'interrupted' | 'not understood'
}

export type Activity = 'listening' | 'hearing' | 'thinking' | 'speaking'

export interface Spoken {
  utterances: Utterance[]
  activity: Activity
  problem?: string
}

export const nothingSpoken: Spoken = { utterances: [], activity: 'listening' }

/** What the page reads of the server's events. */
export interface ServerEvent {
  type: string
  item_id?: string
  delta?: string
  transcript?: string
  item?: { id?: string; type?: string; role?: 'user' | 'assistant' | 'system' }
  response?: { status?: string; status_details?: { error?: { message?: string } | null } | null }
  error?: { message?: string }
}

/** The page's own: whatever came was played. */
export const playedOut = 'page.played_out'

const maxUtterances = 500

export function afterEvent(spoken: Spoken, event: ServerEvent): Spoken {
  const { type, item_id: id = '' } = event
  switch (type) {
    case 'input_audio_buffer.speech_started':
      return { ...spoken, activity: 'hearing' }
    case 'input_audio_buffer.speech_stopped':
      return { ...spoken, activity: 'thinking' }
    case 'conversation.item.added':
      return withItem(spoken, event.item ?? {})
    case 'conversation.item.input_audio_transcription.delta':
    case 'response.output_audio_transcript.delta':
    case 'response.output_text.delta':
      return changed(spoken, id, (utterance) => ({ ...utterance, text: utterance.text + (event.delta ?? '') }))
    case 'conversation.item.input_audio_transcription.completed':
    case 'response.output_audio_transcript.done':
      return changed(spoken, id, (utterance) => ({ ...utterance, text: event.transcript ?? utterance.text }))
    case 'conversation.item.input_audio_transcription.failed':
      return changed(spoken, id, (utterance) => ({ ...utterance, note: 'not understood' }))
    case 'conversation.item.truncated':
      return changed(spoken, id, (utterance) => ({ ...utterance, note: 'interrupted' }))
    case 'response.output_audio.delta':
      return spoken.activity === 'speaking' ? spoken : { ...spoken, activity: 'speaking' }
    case playedOut:
      return spoken.activity === 'speaking' ? { ...spoken, activity: 'listening' } : spoken
    case 'response.done':
      return afterResponse(spoken, event.response ?? {})
    case 'error':
      return { ...spoken, problem: event.error?.message ?? 'The server refused something without a word.' }
    default:
      return spoken
  }
}

function withItem(spoken: Spoken, { id, type, role }: NonNullable<ServerEvent['item']>): Spoken {
  if (id === undefined || type !== 'message' || (role !== 'user' && role !== 'assistant')) return spoken
  if (spoken.utterances.some((utterance) => utterance.id === id)) return spoken
  return { ...spoken, utterances: [...spoken.utterances, { id, role, text: '' }].slice(-maxUtterances) }
}

function changed(spoken: Spoken, id: string, change: (utterance: Utterance) => Utterance): Spoken {
  return { ...spoken, utterances: spoken.utterances.map((one) => (one.id === id ? change(one) : one)) }
}

/** It may still be played, or have been cut off by somebody who speaks now. */
function afterResponse(spoken: Spoken, { status, status_details }: NonNullable<ServerEvent['response']>): Spoken {
  const activity = spoken.activity === 'thinking' ? 'listening' : spoken.activity
  if (status !== 'failed') return { ...spoken, activity }
  return { ...spoken, activity, problem: status_details?.error?.message ?? 'The answer failed.' }
}
