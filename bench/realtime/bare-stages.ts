// What the three models take by themselves for the same turns, without a session around them.
import type { Call } from '@atoll/models/call'
import type { Runtimes } from '@atoll/models/runtimes'
import { wavFile } from '@atoll/platform/resources/realtime/audio/wav-file'
import { Sentences } from '@atoll/platform/resources/realtime/sentences'
import type { AtollServer } from '../atoll-server.ts'
import { median } from '../measure.ts'
import type { Turn } from './talk.ts'

/** Medians, in milliseconds. */
export interface Stages {
  transcriptionMs: number
  /** To the end of the first piece that can be spoken. */
  chatMs: number
  /** To the first sound. */
  speechMs: number
}

const call: Call = { signal: new AbortController().signal, turn: 'bench' }
/** What a turn has around its speech: padding before and silence behind. */
const around = Buffer.alloc(800 * 48)

export async function bareStages(
  runtimes: Runtimes,
  atoll: AtollServer,
  sounds: readonly Buffer[],
  turns: readonly Turn[],
): Promise<Stages> {
  const [transcription, chat, speech]: [number[], number[], number[]] = [[], [], []]
  // Once for loading.
  await transcriptionMs(runtimes, sounds[0] as Buffer)
  for (const [index, turn] of turns.entries()) {
    transcription.push(await transcriptionMs(runtimes, sounds[index % sounds.length] as Buffer))
    const { ms, piece } = await chatMs(atoll, turn.transcript)
    chat.push(ms)
    speech.push(await speechMs(runtimes, piece))
  }
  return { transcriptionMs: median(transcription), chatMs: median(chat), speechMs: median(speech) }
}

async function transcriptionMs(runtimes: Runtimes, sound: Buffer): Promise<number> {
  const ears = (await runtimes.get('builtin-transcription'))?.transcription
  const audio = wavFile([{ format: 'pcm16', bytes: Buffer.concat([around, sound]) }])
  const plain = { language: undefined, prompt: undefined, temperature: undefined, words: false }
  const startedAt = performance.now()
  for await (const _ of ears?.transcribe({ audio, task: 'transcribe', ...plain }, call) ?? []);
  return performance.now() - startedAt
}

async function chatMs({ url, apiKey }: AtollServer, content: string): Promise<{ ms: number; piece: string }> {
  const startedAt = performance.now()
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o', stream: true, max_tokens: 120, messages: [{ role: 'user', content }] }),
  })
  const sentences = new Sentences()
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += Buffer.from(bytes).toString()
    const lines = text.split('\n\n')
    text = lines.pop() ?? ''
    for (const line of lines) {
      const delta = line.includes('[DONE]')
        ? undefined
        : JSON.parse(line.slice('data: '.length)).choices[0]?.delta.content
      const [piece] = delta === undefined ? sentences.end() : sentences.push(delta ?? '')
      if (piece !== undefined) return { ms: performance.now() - startedAt, piece }
    }
  }
  return { ms: performance.now() - startedAt, piece: 'Nothing.' }
}

async function speechMs(runtimes: Runtimes, text: string): Promise<number> {
  const voice = (await runtimes.get('builtin-speech'))?.speech
  const startedAt = performance.now()
  for await (const _ of voice?.speak({ text, voice: 'alloy', format: 'pcm', speed: 1 }, call) ?? []) break
  return performance.now() - startedAt
}
