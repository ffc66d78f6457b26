// What version 1.43 changed.
import type { Change } from './change.ts'
import { newHostConfig } from './container-fields.ts'
import { at } from './shape.ts'

const since = '1.43'

const isEmpty = (list: unknown): boolean => !Array.isArray(list) || list.length === 0

export const changes: readonly Change[] = [
  newHostConfig(
    { since, summary: 'Containers have annotations for their runtime.', requirements: ['ENG-119', 'ENG-240'] },
    'Annotations',
  ),
  {
    since,
    summary: 'Images without a name have no tags and digests; they had placeholders.',
    requirements: ['ENG-388', 'ENG-389'],
    routes: ['GET /images/json'],
    answer: at('[]', (image) => {
      if (!isEmpty(image.RepoTags) || !isEmpty(image.RepoDigests)) return
      image.RepoTags = ['<none>:<none>']
      image.RepoDigests = ['<none>@<none>']
    }),
  },
]
