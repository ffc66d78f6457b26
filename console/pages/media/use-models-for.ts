import { useRuntimes } from '../models/use-runtimes.ts'

/** Ids of models that can be asked for something; undefined while they are not known. */
export function useModelsFor(operation: 'audio_speeches' | 'audio_transcriptions' | 'images'): string[] | undefined {
  return useRuntimes().data?.data.flatMap(({ status, models }) =>
    status === 'unavailable' ? [] : models.filter(({ serves }) => serves.includes(operation)).map(({ id }) => id),
  )
}
