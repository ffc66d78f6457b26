import { Readable } from 'node:stream'
import { bytes } from '@atoll/kernel/http/reply'
import { defineRoute } from '../../../callers.ts'
import { CreateSpeech } from './schema.ts'
import type { Speech } from './service.ts'

export const speechRoutes = (speech: Speech) => [
  defineRoute({
    method: 'POST',
    path: '/v1/audio/speech',
    auth: 'project',
    summary: 'Read a text aloud',
    body: CreateSpeech,
    response: 'bytes',
    handler: async ({ caller, body, signal }) => {
      const { sound, mimeType, headers } = await speech.create(caller, body, signal)
      return bytes(Readable.from(sound, { objectMode: false }), { 'content-type': mimeType, ...headers })
    },
  }),
]
