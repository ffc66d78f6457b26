// The ids programs in the wild name. They are known without any configuration.
const released = (year: number, month: number, day: number): number => Date.UTC(year, month - 1, day) / 1000

export const defaultModels = [
  { id: 'gpt-4o', created: released(2024, 5, 10) },
  { id: 'gpt-4o-2024-08-06', created: released(2024, 8, 4) },
  { id: 'gpt-4o-mini', created: released(2024, 7, 16) },
  { id: 'gpt-4o-mini-2024-07-18', created: released(2024, 7, 16) },
  { id: 'gpt-4-turbo', created: released(2024, 4, 5) },
  { id: 'gpt-4', created: released(2023, 6, 27) },
  { id: 'gpt-3.5-turbo', created: released(2023, 2, 28) },
  { id: 'gpt-3.5-turbo-instruct', created: released(2023, 8, 24) },
  { id: 'gpt-4o-realtime-preview', created: released(2024, 9, 30) },
  { id: 'gpt-4o-audio-preview', created: released(2024, 9, 27) },
  { id: 'text-embedding-3-small', created: released(2024, 1, 22) },
  { id: 'text-embedding-3-large', created: released(2024, 1, 22) },
  { id: 'text-embedding-ada-002', created: released(2022, 12, 16) },
  { id: 'omni-moderation-latest', created: released(2024, 11, 15) },
  { id: 'omni-moderation-2024-09-26', created: released(2024, 11, 27) },
  { id: 'text-moderation-latest', created: released(2023, 10, 25) },
  { id: 'text-moderation-stable', created: released(2023, 10, 25) },
  { id: 'whisper-1', created: released(2023, 2, 27) },
  { id: 'tts-1', created: released(2023, 4, 19) },
  { id: 'tts-1-hd', created: released(2023, 11, 3) },
  { id: 'dall-e-2', created: released(2023, 11, 1) },
  { id: 'dall-e-3', created: released(2023, 10, 31) },
]
