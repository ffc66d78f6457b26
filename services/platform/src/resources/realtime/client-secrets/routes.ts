import { defineRoute } from '../../../callers.ts'
import {
  CreateClientSecret,
  CreatedClientSecret,
  CreatedSession,
  CreatedTranscriptionSession,
  CreateSession,
  CreateTranscriptionSession,
} from './schema.ts'
import type { ClientSecrets } from './service.ts'

export const clientSecretRoutes = (secrets: ClientSecrets) => [
  defineRoute({
    method: 'POST',
    path: '/v1/realtime/sessions',
    auth: 'project',
    summary: 'Create a realtime session with a short-lived client key',
    body: CreateSession,
    response: CreatedSession,
    handler: ({ caller, body }) => secrets.createSession(caller, body),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/realtime/transcription_sessions',
    auth: 'project',
    summary: 'Create a realtime session that only transcribes, with a short-lived client key',
    body: CreateTranscriptionSession,
    response: CreatedTranscriptionSession,
    handler: ({ caller, body }) => secrets.createTranscriptionSession(caller, body),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/realtime/client_secrets',
    auth: 'project',
    summary: 'Create a short-lived client key for a realtime session',
    body: CreateClientSecret,
    response: CreatedClientSecret,
    handler: ({ caller, body }) => secrets.createSecret(caller, body),
  }),
]
