// Which models can be chatted with. The list of models does not say; these are made for other things by their names.
import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/client.ts'
import type { ModelList } from '../../api/types.ts'
import { useProject } from '../../app/projects.tsx'

const forOthers =
  /embedding|moderation|whisper|^tts|dall-e|gpt-image|transcribe|realtime|^(davinci|babbage)|instruct$|audio|-tts/

export const isForChat = (id: string): boolean => !forOthers.test(id)

export function useModels() {
  const { project } = useProject()
  return useQuery({
    queryKey: ['models', project.id],
    queryFn: ({ signal }) => ask<ModelList>('/v1/models', { project: project.id, signal }),
  })
}
