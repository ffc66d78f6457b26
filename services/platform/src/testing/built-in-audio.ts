// The built-in models for speech, loaded once for the tests of a file.
import { createSpeechRuntime } from '@atoll/models/builtin/speech/speech-runtime'
import { Transcriber } from '@atoll/models/builtin/transcription/transcriber'
import { createTranscriptionRuntime } from '@atoll/models/builtin/transcription/transcription-runtime'
import { silentLog } from '@atoll/testkit/silent-log'
import { afterAll, vi } from 'vitest'
import type { TestPlatform } from './describe-platform.ts'
import { formOf, type TestResponse } from './requests.ts'

/** The models are loaded in the time of the test that uses them first. */
const loadingMs = 180_000

const stay = { close: async () => undefined }

export function builtInAudio() {
  vi.setConfig({ testTimeout: loadingMs })
  const speech = createSpeechRuntime({ log: silentLog })
  const transcription = createTranscriptionRuntime(new Transcriber({ log: silentLog }))
  afterAll(() => Promise.all([speech.close(), transcription.close()]))
  const runtimes = { 'builtin-speech': { ...speech, ...stay }, 'builtin-transcription': { ...transcription, ...stay } }
  return { runtimes, transcription }
}

/** What the tests say and hear. */
export const spokenText = 'We walk along the water together.'

export const speak = (platform: TestPlatform, more: object = {}): Promise<TestResponse> =>
  platform.post('/v1/audio/speech', { model: 'tts-1', voice: 'ash', input: spokenText, ...more })

export const writeDown = (
  platform: TestPlatform,
  file: Buffer<ArrayBuffer>,
  name: string,
  fields: Record<string, string> = {},
): Promise<TestResponse> =>
  platform.post('/v1/audio/transcriptions', formOf(name, file, { model: 'whisper-1', ...fields }))

export const soundOf = async (response: Pick<Response, 'arrayBuffer'>): Promise<Buffer<ArrayBuffer>> =>
  Buffer.from(await response.arrayBuffer())

export async function audioUsage(
  { kernel, platform }: TestPlatform,
  operation: 'audio_speeches' | 'audio_transcriptions',
): Promise<{ characters: number; audio_ms: number }[]> {
  await platform.inference.usage.flush()
  const events = kernel.db.queries.selectFrom('usage_events').select(['characters', 'audio_ms'])
  return events.where('operation', '=', operation).execute()
}
