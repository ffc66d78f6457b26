// Gets the models of a session ready while its client is still silent: loading them takes seconds.
import type { Log } from '@atoll/kernel/telemetry/log'
import type { ProjectCaller } from '../../callers.ts'
import type { Inference } from '../../inference/inference.ts'
import { chatRequest } from './chat-request.ts'
import type { SessionFields } from './schema.ts'
import type { VoiceModels } from './session.ts'

interface Parts {
  inference: Inference
  log: Log
  caller: ProjectCaller
  /** The public id of the chat model; absent: nobody answers. */
  model: string | undefined
  voiceModels: VoiceModels
  settings: SessionFields
  signal: AbortSignal
}

/** Nothing is charged for it, and nobody waits for it: whatever goes wrong is told when the models are really used. */
export function warmModels({ inference, log, caller, model, voiceModels, settings, signal }: Parts): void {
  const call = { signal, turn: caller.projectId, background: true }
  const { instructions } = settings
  const greeting = { role: 'user' as const, content: 'Hello.' }
  const messages = instructions === '' ? [greeting] : [{ role: 'system' as const, content: instructions }, greeting]
  const speaks = model !== undefined && settings.modalities.includes('audio')
  const work = [
    inference.resolve(caller, voiceModels.transcription, 'transcription').then(({ port }) => port.warm?.(call)),
    model &&
      inference.resolve(caller, model, 'chat').then(({ port }) => port.warm?.(chatRequest(messages, settings), call)),
    speaks && inference.resolve(caller, voiceModels.speech, 'speech').then(({ port }) => port.warm?.(call)),
  ]
  for (const one of work) if (one) one.catch((error: unknown) => log.debug({ error }, 'A model could not be warmed'))
}
