import { bytes, json, type Reply } from '@atoll/kernel/http/reply'
import { multipart } from '@atoll/kernel/http/route'
import { defineRoute } from '../../../callers.ts'
import { CreateTranscriptionFields, CreateTranslationFields, maxAudioBytes, Transcript } from './schema.ts'
import type { CreatedTranscript, Transcriptions } from './service.ts'

const file = { file: 'file', maxFileBytes: maxAudioBytes }

export const transcriptionRoutes = (transcriptions: Transcriptions) => [
  defineRoute({
    method: 'POST',
    path: '/v1/audio/transcriptions',
    auth: 'project',
    summary: 'Write down what is said in a sound file',
    body: multipart({ fields: CreateTranscriptionFields, ...file }),
    response: Transcript,
    handler: async ({ caller, body, signal }) =>
      answer(await transcriptions.transcribe(caller, body.fields, body.file, signal)),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/audio/translations',
    auth: 'project',
    summary: 'Write down in English what is said in a sound file',
    body: multipart({ fields: CreateTranslationFields, ...file }),
    response: Transcript,
    handler: async ({ caller, body, signal }) =>
      answer(await transcriptions.translate(caller, body.fields, body.file, signal)),
  }),
]

const answer = ({ transcript, headers }: CreatedTranscript): Reply =>
  typeof transcript === 'string'
    ? bytes(transcript, { 'content-type': 'text/plain; charset=utf-8', ...headers })
    : json(200, transcript, headers)
