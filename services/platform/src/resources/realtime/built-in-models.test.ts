// The built-in ears and voice in a session; the chat model is scripted, so that what is asserted is what they do.
import { createRuntimes, type Runtimes } from '@atoll/models/runtimes'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describePlatformOnSqlite } from '../../testing/describe-platform.ts'
import { ScriptedChatModel } from '../../testing/scripted-chat-model.ts'
import { RealtimeClient } from './testing/realtime-client.ts'

const call = { signal: new AbortController().signal, turn: 'test' }
const silence = Buffer.alloc(48_000)
/** Ears and voice step back behind others, and their models are loaded at the first word. */
const patienceMs = 55_000
let runtimes: Runtimes

beforeAll(async () => {
  runtimes = createRuntimes({}, { log: silentLog, modelsFolder: await tempDir(), chatModel: undefined })
})
afterAll(() => runtimes.close())

async function spoken(text: string): Promise<Buffer> {
  const voice = (await runtimes.get('builtin-speech'))?.speech
  const pieces: Uint8Array[] = []
  const request = { text, voice: 'alloy', format: 'pcm', speed: 1 } as const
  for await (const piece of voice?.speak(request, call) ?? []) pieces.push(piece)
  return Buffer.concat(pieces)
}

describePlatformOnSqlite('a session with the built-in ears and voice', (start) => {
  it('AST-164 AST-180 AST-189 AST-190 understands what was said, answers by itself, and can be understood', async () => {
    const chat = new ScriptedChatModel([['The capital of France is Paris.']])
    const [ears, voice] = [await runtimes.get('builtin-transcription'), await runtimes.get('builtin-speech')]
    const kept = { close: async () => undefined }
    const platform = await start({
      runtimes: {
        ...chat.runtimes,
        'builtin-transcription': { ...ears, ...kept },
        'builtin-speech': { ...voice, ...kept },
      },
    })
    const client = await RealtimeClient.connect(platform)
    client.update({ input_audio_transcription: { model: 'whisper-1' } })
    const talk = async (sound: Buffer) => {
      for (const bytes of [silence, sound, silence]) {
        client.send({ type: 'input_audio_buffer.append', audio: bytes.toString('base64') })
      }
      return client.until('response.done', { patienceMs })
    }
    const events = await talk(await spoken('What is the capital of France?'))
    const one = (type: string) => events.find((event) => event.type === type)
    expect(one('input_audio_buffer.speech_started')?.audio_start_ms).toBeGreaterThan(400)
    expect(one('input_audio_buffer.speech_stopped')?.audio_end_ms).toBeGreaterThan(1_500)
    const heard = one('conversation.item.input_audio_transcription.completed')?.transcript
    expect(heard).toMatch(/capital of france/i)
    expect(chat.requests[0]?.messages.at(-1)).toEqual({ role: 'user', content: heard })
    const deltas = events.filter(({ type }) => type === 'response.audio.delta')
    const again = await talk(Buffer.concat(deltas.map(({ delta }) => Buffer.from(delta, 'base64'))))
    const echo = again.find(({ type }) => type === 'conversation.item.input_audio_transcription.completed')
    expect(echo?.transcript).toMatch(/capital of france is paris/i)
    await client.close()
  }, 120_000)
})
