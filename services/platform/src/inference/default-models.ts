// The ids programs of December 2024 and of the months after it name, each with what answers it here. They are known
// without any configuration.
import type { z } from 'zod'
import type { ModelSettings } from './settings.ts'

type Model = z.input<typeof ModelSettings>

const released = (year: number, month: number, day: number): number => Date.UTC(year, month - 1, day) / 1000

/** US dollars for a million tokens, as the hosted models cost at the end of 2024. */
const prices = (inputPerMillion: number, cachedInputPerMillion: number, outputPerMillion: number) => ({
  prices: { inputPerMillion, cachedInputPerMillion, outputPerMillion },
})

const free = { inputPerMillion: 0, cachedInputPerMillion: 0, outputPerMillion: 0 }

const transcription = { runtime: 'builtin-transcription', prices: { ...free, perAudioMinute: 0.006 } }
const chat = { runtime: 'builtin-chat', serves: ['chat'] } satisfies Partial<Model>
/** Speech is written down for them, and their answers are read aloud. */
const spokenChat = { ...chat, voice: { transcription: 'whisper-1', speech: 'tts-1' } }
const text = { runtime: 'builtin-chat', serves: ['completions'] } satisfies Partial<Model>
const illustrator = { runtime: 'builtin-illustrator' }
const pricePerImage = (perImage: number) => ({ prices: { ...free, perImage } })
const moderation = { runtime: 'builtin-moderation', ...prices(0, 0, 0) }
const textModeration = { runtime: 'builtin-moderation-text', ...prices(0, 0, 0) }

export const defaultModels: Model[] = [
  { id: 'atoll-chat', created: released(2026, 11, 15), runtime: 'builtin-atoll-chat', ...prices(0, 0, 0) },
  { id: 'gpt-4o', created: released(2024, 5, 10), ...chat, ...prices(2.5, 1.25, 10) },
  { id: 'gpt-4o-2024-08-06', created: released(2024, 8, 4), ...chat, ...prices(2.5, 1.25, 10) },
  { id: 'gpt-4o-2024-11-20', created: released(2024, 11, 20), ...chat, ...prices(2.5, 1.25, 10) },
  { id: 'gpt-4o-2024-05-13', created: released(2024, 5, 10), ...chat, ...prices(5, 5, 15) },
  { id: 'chatgpt-4o-latest', created: released(2024, 8, 13), ...chat, ...prices(5, 5, 15) },
  { id: 'gpt-4o-mini', created: released(2024, 7, 16), ...chat, ...prices(0.15, 0.075, 0.6) },
  { id: 'gpt-4o-mini-2024-07-18', created: released(2024, 7, 16), ...chat, ...prices(0.15, 0.075, 0.6) },
  { id: 'o1', created: released(2024, 12, 16), ...chat, ...prices(15, 7.5, 60) },
  { id: 'o1-2024-12-17', created: released(2024, 12, 16), ...chat, ...prices(15, 7.5, 60) },
  { id: 'o1-preview', created: released(2024, 9, 6), ...chat, ...prices(15, 7.5, 60) },
  { id: 'o1-preview-2024-09-12', created: released(2024, 9, 6), ...chat, ...prices(15, 7.5, 60) },
  { id: 'o1-mini', created: released(2024, 9, 6), ...chat, ...prices(3, 1.5, 12) },
  { id: 'o1-mini-2024-09-12', created: released(2024, 9, 6), ...chat, ...prices(3, 1.5, 12) },
  { id: 'gpt-4-turbo', created: released(2024, 4, 5), ...chat, ...prices(10, 10, 30) },
  { id: 'gpt-4-turbo-2024-04-09', created: released(2024, 4, 8), ...chat, ...prices(10, 10, 30) },
  { id: 'gpt-4-turbo-preview', created: released(2024, 1, 23), ...chat, ...prices(10, 10, 30) },
  { id: 'gpt-4-0125-preview', created: released(2024, 1, 23), ...chat, ...prices(10, 10, 30) },
  { id: 'gpt-4-1106-preview', created: released(2023, 11, 2), ...chat, ...prices(10, 10, 30) },
  { id: 'gpt-4-vision-preview', created: released(2023, 11, 2), ...chat, ...prices(10, 10, 30) },
  { id: 'gpt-4-1106-vision-preview', created: released(2024, 3, 26), ...chat, ...prices(10, 10, 30) },
  { id: 'gpt-4', created: released(2023, 6, 27), ...chat, ...prices(30, 30, 60) },
  { id: 'gpt-4-0613', created: released(2023, 6, 12), ...chat, ...prices(30, 30, 60) },
  { id: 'gpt-4-0314', created: released(2023, 3, 14), ...chat, ...prices(30, 30, 60) },
  { id: 'gpt-4-32k', created: released(2023, 3, 14), ...chat, ...prices(60, 60, 120) },
  { id: 'gpt-4-32k-0314', created: released(2023, 3, 14), ...chat, ...prices(60, 60, 120) },
  { id: 'gpt-4-32k-0613', created: released(2023, 6, 12), ...chat, ...prices(60, 60, 120) },
  { id: 'gpt-3.5-turbo', created: released(2023, 2, 28), ...chat, ...prices(0.5, 0.5, 1.5) },
  { id: 'gpt-3.5-turbo-0125', created: released(2024, 1, 23), ...chat, ...prices(0.5, 0.5, 1.5) },
  { id: 'gpt-3.5-turbo-1106', created: released(2023, 11, 2), ...chat, ...prices(1, 1, 2) },
  { id: 'gpt-3.5-turbo-0613', created: released(2023, 6, 12), ...chat, ...prices(1.5, 1.5, 2) },
  { id: 'gpt-3.5-turbo-0301', created: released(2023, 2, 28), ...chat, ...prices(1.5, 1.5, 2) },
  { id: 'gpt-3.5-turbo-16k', created: released(2023, 5, 10), ...chat, ...prices(3, 3, 4) },
  { id: 'gpt-3.5-turbo-16k-0613', created: released(2023, 5, 30), ...chat, ...prices(3, 3, 4) },
  { id: 'gpt-3.5-turbo-instruct', created: released(2023, 8, 24), ...text, ...prices(1.5, 1.5, 2) },
  { id: 'gpt-3.5-turbo-instruct-0914', created: released(2023, 9, 7), ...text, ...prices(1.5, 1.5, 2) },
  { id: 'davinci-002', created: released(2023, 8, 21), ...text, ...prices(2, 2, 2) },
  { id: 'babbage-002', created: released(2023, 8, 21), ...text, ...prices(0.4, 0.4, 0.4) },
  { id: 'gpt-4o-audio-preview', created: released(2024, 9, 27), ...spokenChat, ...prices(2.5, 2.5, 10) },
  { id: 'gpt-4o-audio-preview-2024-10-01', created: released(2024, 9, 26), ...spokenChat, ...prices(2.5, 2.5, 10) },
  { id: 'gpt-4o-audio-preview-2024-12-17', created: released(2024, 12, 12), ...spokenChat, ...prices(2.5, 2.5, 10) },
  { id: 'gpt-4o-mini-audio-preview', created: released(2024, 12, 16), ...spokenChat, ...prices(0.15, 0.15, 0.6) },
  {
    id: 'gpt-4o-mini-audio-preview-2024-12-17',
    created: released(2024, 12, 13),
    ...spokenChat,
    ...prices(0.15, 0.15, 0.6),
  },
  { id: 'gpt-4o-realtime-preview', created: released(2024, 9, 30), ...chat, ...prices(5, 2.5, 20) },
  { id: 'gpt-4o-realtime-preview-2024-10-01', created: released(2024, 9, 23), ...chat, ...prices(5, 2.5, 20) },
  { id: 'gpt-4o-realtime-preview-2024-12-17', created: released(2024, 12, 11), ...chat, ...prices(5, 2.5, 20) },
  { id: 'gpt-4o-mini-realtime-preview', created: released(2024, 12, 16), ...chat, ...prices(0.6, 0.3, 2.4) },
  { id: 'gpt-4o-mini-realtime-preview-2024-12-17', created: released(2024, 12, 13), ...chat, ...prices(0.6, 0.3, 2.4) },
  { id: 'gpt-4.1', created: released(2025, 4, 10), ...chat, ...prices(2, 0.5, 8) },
  { id: 'gpt-4.1-mini', created: released(2025, 4, 10), ...chat, ...prices(0.4, 0.1, 1.6) },
  { id: 'gpt-4.1-nano', created: released(2025, 4, 10), ...chat, ...prices(0.1, 0.025, 0.4) },
  // Later clients of realtime sessions name these by themselves.
  { id: 'gpt-realtime', created: released(2025, 8, 28), ...chat, ...prices(4, 0.4, 16) },
  { id: 'gpt-realtime-2.1', created: released(2025, 8, 28), ...chat, ...prices(4, 0.4, 16) },
  { id: 'gpt-4o-transcribe', created: released(2025, 3, 15), ...transcription },
  { id: 'gpt-4o-mini-transcribe', created: released(2025, 3, 15), ...transcription },
  {
    id: 'text-embedding-3-small',
    created: released(2024, 1, 22),
    runtime: 'builtin-embeddings',
    ...prices(0.02, 0.02, 0),
  },
  {
    id: 'text-embedding-3-large',
    created: released(2024, 1, 22),
    runtime: 'builtin-embeddings-large',
    ...prices(0.13, 0.13, 0),
  },
  {
    id: 'text-embedding-ada-002',
    created: released(2022, 12, 16),
    runtime: 'builtin-embeddings-fixed',
    ...prices(0.1, 0.1, 0),
  },
  { id: 'whisper-1', created: released(2023, 2, 27), ...transcription },
  {
    id: 'tts-1',
    created: released(2023, 4, 19),
    runtime: 'builtin-speech',
    prices: { ...free, perMillionCharacters: 15 },
  },
  {
    id: 'tts-1-hd',
    created: released(2023, 11, 3),
    runtime: 'builtin-speech',
    prices: { ...free, perMillionCharacters: 30 },
  },
  {
    id: 'gpt-4o-mini-tts',
    created: released(2025, 3, 19),
    runtime: 'builtin-speech',
    prices: { ...free, perMillionCharacters: 15 },
  },
  { id: 'dall-e-2', created: released(2023, 11, 1), ...illustrator, ...pricePerImage(0.02) },
  { id: 'dall-e-3', created: released(2023, 10, 31), ...illustrator, ...pricePerImage(0.04) },
  { id: 'omni-moderation-latest', created: released(2024, 11, 15), ...moderation },
  { id: 'omni-moderation-2024-09-26', created: released(2024, 11, 27), ...moderation },
  { id: 'text-moderation-latest', created: released(2023, 10, 25), ...textModeration },
  { id: 'text-moderation-stable', created: released(2023, 10, 25), ...textModeration },
  { id: 'text-moderation-007', created: released(2024, 2, 8), ...textModeration },
]
