// Realtime conversations with the built-in models: from the end of speech to the first sound, by stages; eight at once.
import { setTimeout as pause } from 'node:timers/promises'
import { createRuntimes } from '@atoll/models/runtimes'
import { silentLog } from '@atoll/testkit/silent-log'
import { type AtollServer, spawnServer } from './atoll-server.ts'
import { median } from './measure.ts'
import { bareStages, type Stages } from './realtime/bare-stages.ts'
import { Talk, type Turn } from './realtime/talk.ts'

const rounds = 3
const sessionsAtOnce = 8
const goals = { firstSoundMs: 900, oursMs: 60 }
const questions = [
  'What is the capital of France?',
  'How many days does a week have?',
  'Tell me something about the sea.',
]

export async function bench(): Promise<void> {
  const runtimes = createRuntimes({}, { log: silentLog, modelsFolder: '/nonexistent', chatModel: undefined })
  const atoll = await spawnServer()
  try {
    const sounds = await Promise.all(questions.map((text) => speak(runtimes, text)))
    const turns = await benchOne(atoll, sounds)
    const bare = await bareStages(runtimes, atoll, sounds, turns)
    showStages(turns, bare)
    await benchMany(atoll, sounds)
  } finally {
    await atoll.close()
    await runtimes.close()
  }
}

/** 24,000 samples a second. */
async function speak(runtimes: ReturnType<typeof createRuntimes>, text: string): Promise<Buffer> {
  const voice = (await runtimes.get('builtin-speech'))?.speech
  if (voice === undefined) throw new Error('There is no built-in voice.')
  const call = { signal: new AbortController().signal, turn: 'bench' }
  const pieces: Uint8Array[] = []
  for await (const piece of voice.speak({ text, voice: 'alloy', format: 'pcm', speed: 1 }, call)) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function benchOne(atoll: AtollServer, sounds: readonly Buffer[]): Promise<Turn[]> {
  const talk = await Talk.open(atoll)
  const turns: Turn[] = []
  // The first question loads the models.
  const first = await talk.ask(sounds[0] as Buffer)
  console.log(`  the first answer, while models are loaded: ${ms(first.firstSoundMs)}`)
  for (let round = 0; round < rounds; round++) {
    for (const sound of sounds) turns.push(await talk.ask(sound))
  }
  talk.close()
  return turns
}

function showStages(turns: readonly Turn[], bare: Stages): void {
  const total = median(turns.map(({ firstSoundMs }) => firstSoundMs))
  console.log(`  ${turns.length} turns; medians, from the end of speech (VAD) to:`)
  console.log(`    words understood ${ms(median(turns.map(({ understoodMs }) => understoodMs)))}`)
  console.log(`    first word of the answer ${ms(median(turns.map(({ firstWordMs }) => firstWordMs)))}`)
  console.log(`    first sound of the answer ${ms(total)} (goal ${goals.firstSoundMs} ms)`)
  const models = bare.transcriptionMs + bare.chatMs + bare.speechMs
  console.log(
    `  the models by themselves: transcription ${ms(bare.transcriptionMs)}, chat to its first spoken piece ${ms(bare.chatMs)}, speech to its first sound ${ms(bare.speechMs)}`,
  )
  console.log(`  so ours are ${ms(total - models)} of it (goal ${goals.oursMs} ms)`)
}

async function benchMany(atoll: AtollServer, sounds: readonly Buffer[]): Promise<void> {
  const talks = await Promise.all(Array.from({ length: sessionsAtOnce }, () => Talk.open(atoll)))
  const turns = await Promise.all(
    talks.map(async (talk, index) => {
      await pause(index * 200)
      return talk.ask(sounds[index % sounds.length] as Buffer)
    }),
  )
  for (const talk of talks) talk.close()
  const gaps = turns.reduce((sum, { gaps }) => sum + gaps, 0)
  const first = median(turns.map(({ firstSoundMs }) => firstSoundMs))
  console.log(
    `  ${sessionsAtOnce} sessions at once: first sound ${ms(first)}, ${gaps} gaps in the sound sent (goal none)`,
  )
}

const ms = (value: number): string => `${Math.round(value)} ms`
