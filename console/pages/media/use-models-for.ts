import { useIsAdmin } from '../../app/session.ts'
import { useRuntimes } from '../models/use-runtimes.ts'
import { useModels } from '../playground/models.ts'

/** By their names, for whoever may not ask what each of them serves. */
const named = {
  audio_speeches: /^tts|-tts/,
  audio_transcriptions: /whisper|transcribe/,
  images: /dall-e|gpt-image/,
}

/** Ids of models that can be asked for something; undefined while they are not known. */
export function useModelsFor(operation: keyof typeof named): string[] | undefined {
  const isAdmin = useIsAdmin()
  const runtimes = useRuntimes()
  const models = useModels()
  if (!isAdmin) return models.data?.data.map(({ id }) => id).filter((id) => named[operation].test(id))
  return runtimes.data?.data.flatMap(({ status, models: served }) =>
    status === 'unavailable' ? [] : served.filter(({ serves }) => serves.includes(operation)).map(({ id }) => id),
  )
}
