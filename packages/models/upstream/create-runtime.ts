// A model behind any server that speaks the same interface, or behind several of them.
import { type Clock, systemClock } from '@atoll/kernel/clock/clock'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Runtime } from '../runtime.ts'
import { UpstreamChat } from './chat-model.ts'
import { UpstreamDrawing } from './drawing-model.ts'
import { UpstreamEmbeddings } from './embedding-model.ts'
import type { Redact } from './error-body.ts'
import { UpstreamModeration } from './moderation-model.ts'
import { Server } from './server.ts'
import type { UpstreamSettings } from './settings.ts'
import { UpstreamSpeech } from './speech-model.ts'
import { UpstreamText } from './text-model.ts'
import { UpstreamTraining } from './training-server.ts'
import { UpstreamTranscription } from './transcription-model.ts'

/** Shorter values of headers are words, not secrets. */
const shortestSecret = 8

export interface UpstreamOptions {
  log: Log
  backgroundShare?: number | undefined
  clock?: Clock
  env?: Readonly<Record<string, string | undefined>>
}

export function createUpstreamRuntime(settings: UpstreamSettings, options: UpstreamOptions): Runtime {
  const { log, backgroundShare, clock = systemClock, env = process.env } = options
  const apiKey = settings.apiKey ?? keyFromEnvironment(settings.apiKeyEnv, env)
  const server = new Server({
    settings,
    headers: headersOf(settings, apiKey),
    redact: redactor([apiKey ?? '', ...Object.values(settings.headers)]),
    backgroundShare,
    log,
    clock,
  })
  return {
    chat: new UpstreamChat(server, settings),
    text: new UpstreamText(server, settings),
    embeddings: new UpstreamEmbeddings(server, settings.model),
    moderation: new UpstreamModeration(server, settings.model),
    drawing: new UpstreamDrawing(server, settings.model),
    transcription: new UpstreamTranscription(server, settings.model),
    speech: new UpstreamSpeech(server, settings.model),
    ...(settings.fineTuning && { training: new UpstreamTraining(server, settings.model) }),
    load: () => server.load(),
    close: () => server.close(),
  }
}

function keyFromEnvironment(name: string | undefined, env: UpstreamOptions['env'] = {}): string | undefined {
  if (name === undefined) return undefined
  const key = env[name]?.trim()
  if (key && /^[\x21-\x7e]+$/.test(key)) return key
  throw new Error(`The environment variable ${name}, named by apiKeyEnv, ${key ? 'holds no key' : 'is not set'}.`)
}

function headersOf(settings: UpstreamSettings, apiKey: string | undefined): string[] {
  // Compressed answers would have to be unpacked before they are passed on.
  const headers = ['accept', 'application/json, text/event-stream', 'accept-encoding', 'identity']
  if (apiKey !== undefined) headers.push('authorization', `Bearer ${apiKey}`)
  if (settings.organization !== undefined) headers.push('openai-organization', settings.organization)
  for (const [name, value] of Object.entries(settings.headers)) headers.push(name, value)
  return headers
}

function redactor(values: readonly string[]): Redact {
  const secrets = values.filter(({ length }) => length >= shortestSecret)
  return (text) => secrets.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text)
}
