// Chats that hear and speak with the built-in ears and voice. The chat model is scripted, so that what is asserted is
// what they do.
import { ManualClock, unixSeconds } from '@atoll/kernel/clock/clock'
import { wavHeader } from '@atoll/models/audio/wav'
import { wordErrors } from '@atoll/models/testing/word-errors'
import { OpenAI4, OpenAI6 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { audioUsage, builtInAudio, soundOf, speak, spokenText, writeDown } from '../../../../testing/built-in-audio.ts'
import { describePlatformOnSqlite, type TestPlatform } from '../../../../testing/describe-platform.ts'
import { checkPublished } from '../../../../testing/published-schemas.ts'
import { errorOf } from '../../../../testing/requests.ts'
import { type Piece, ScriptedChatModel } from '../../../../testing/scripted-chat-model.ts'
import type { ChatCompletion } from '../answer/schema.ts'

const { runtimes: audio, transcription } = builtInAudio()

const answered = 'The sea is calm. We can sail in the morning.'
const model = 'gpt-4o-audio-preview'
const wish = (format = 'wav') => ({ modalities: ['text', 'audio'], audio: { voice: 'ash', format } })
const said = (text: string) => ({ role: 'user', content: text })
const question = [said('Can we sail?')]

interface Chunk {
  choices: { delta: { role?: string; audio?: AudioDelta }; finish_reason: string | null }[]
  usage?: ChatCompletion['usage'] | null
}
interface AudioDelta {
  id?: string
  data?: string
  transcript?: string
  expires_at?: number
}

function clientOf(platform: TestPlatform, Client: typeof OpenAI4 = OpenAI6 as unknown as typeof OpenAI4) {
  return new Client({ apiKey: platform.apiKey, baseURL: `${platform.url}/v1`, maxRetries: 0 })
}

const scripted = (pieces: Piece[] = [answered]) => new ScriptedChatModel([pieces])

const post = (platform: TestPlatform, body: object) =>
  platform.post('/v1/chat/completions', { model, messages: question, ...body })

const errorFor = async (platform: TestPlatform, body: object) => {
  const response = await post(platform, body)
  expect(response.status).toBe(400)
  return errorOf(response)
}

async function textOf(platform: TestPlatform, sound: Buffer<ArrayBuffer>, name: string): Promise<string> {
  return ((await (await writeDown(platform, sound, name)).json()) as unknown as { text: string }).text
}

describePlatformOnSqlite('chats with the built-in ears and voice', (start) => {
  it('INF-055 hear a spoken question and answer aloud, with every openai client', async () => {
    const chat = scripted()
    const platform = await start({ runtimes: { ...chat.runtimes, ...audio } })
    const sounds = await Promise.all(
      ['wav', 'mp3'].map(async (format) => soundOf(await speak(platform, { response_format: format }))),
    )
    for (const [at, format] of ['wav', 'mp3'].entries()) {
      const input_audio = { data: sounds[at]?.toString('base64') ?? '', format }
      const content = [
        { type: 'text', text: 'What do I say?' },
        { type: 'input_audio', input_audio },
      ]
      const body = { model, messages: [{ role: 'user', content }], ...wish() }
      const client = clientOf(platform, at === 0 ? OpenAI4 : undefined)
      const completion = (await client.chat.completions.create(body as never)) as unknown as ChatCompletion
      checkPublished('CreateChatCompletionResponse', completion)
      const [asked, heard] = (chat.requests[at]?.messages[0]?.content ?? []) as { text: string }[]
      expect(asked?.text).toBe('What do I say?')
      expect(wordErrors(spokenText, heard?.text ?? '')).toBeLessThan(3)
      expect(chat.requests[at]?.audio).toBeUndefined()
      const message = completion.choices[0]?.message
      expect(message).toMatchObject({ role: 'assistant', content: null, audio: { transcript: answered } })
      const file = Buffer.from(message?.audio?.data ?? '', 'base64')
      expect(file.readUInt32LE(40)).toBe(file.length - 44)
      expect(wordErrors(answered, await textOf(platform, file, 'answer.wav'))).toBeLessThan(3)
      const spokenMs = (file.length - 44) / 48
      expect(completion.usage.completion_tokens_details.audio_tokens).toBe(Math.ceil(spokenMs / 50))
      const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details } = completion.usage
      expect(prompt_tokens_details.audio_tokens).toBeGreaterThan(10)
      expect(prompt_tokens).toBe(10 + prompt_tokens_details.audio_tokens)
      expect(total_tokens).toBe(prompt_tokens + completion_tokens)
    }
    // Text is charged to the chat, sound to the models that heard and spoke it.
    await platform.platform.inference.usage.flush()
    const events = platform.kernel.db.queries.selectFrom('usage_events').select(['input_tokens', 'output_tokens'])
    const charged = { input_tokens: 10, output_tokens: 5 }
    expect(await events.where('operation', '=', 'chat').execute()).toEqual([charged, charged])
    const speeches = await audioUsage(platform, 'audio_speeches')
    expect(speeches.filter(({ characters }) => characters === answered.length)).toHaveLength(2)
  })

  it('answer in each format', async () => {
    const platform = await start({ runtimes: { ...scripted().runtimes, ...audio } })
    const magic: [string, RegExp][] = [
      ['mp3', /^\xff[\xe0-\xff]/],
      ['opus', /^OggS.*OpusHead/s],
      ['flac', /^fLaC/],
    ]
    for (const [format, starts] of magic) {
      const completion = await (await post(platform, wish(format))).json()
      const { data } = (completion as unknown as ChatCompletion).choices[0]?.message.audio ?? { data: '' }
      expect(Buffer.from(data, 'base64').subarray(0, 64).toString('latin1'), format).toMatch(starts)
    }
  })

  it('stream words and sound while the model still writes, and at last when the sound expires', async () => {
    const firstSound = Promise.withResolvers<void>()
    const pieces = ['The sea is calm today. ', { wait: firstSound.promise }, 'We can sail in the morning.']
    const platform = await start({ runtimes: { ...scripted(pieces).runtimes, ...audio } })
    const body = { model, messages: question, ...wish('pcm16'), stream: true, stream_options: { include_usage: true } }
    const created: unknown = await clientOf(platform).chat.completions.create(body as never)
    const deltas: Chunk['choices'][number]['delta'][] = []
    let usage: Chunk['usage']
    let finish: string | null = null
    for await (const chunk of created as AsyncIterable<Chunk>) {
      usage = chunk.usage ?? usage
      const [choice] = chunk.choices
      if (choice === undefined) continue
      // The finish comes behind everything.
      expect(finish).toBeNull()
      finish = choice.finish_reason
      deltas.push(choice.delta)
      if (deltas.at(-1)?.audio?.data) firstSound.resolve()
    }
    expect(finish).toBe('stop')
    expect(deltas[0]).toMatchObject({ role: 'assistant', content: null })
    const told = deltas.flatMap(({ audio: piece }) => (piece ? [piece] : []))
    expect(told.map(({ transcript = '' }) => transcript).join('')).toBe(
      'The sea is calm today. We can sail in the morning.',
    )
    expect(told.filter(({ id }) => id !== undefined)).toEqual([told[0]])
    expect(told.findIndex(({ data }) => data !== undefined)).toBeLessThan(
      told.findLastIndex(({ transcript }) => transcript !== undefined),
    )
    expect(told.at(-1)?.expires_at).toBeGreaterThan(Date.now() / 1_000 + 3_000)
    const sound = Buffer.concat(told.map(({ data = '' }) => Buffer.from(data, 'base64')))
    expect(usage?.completion_tokens_details?.audio_tokens).toBe(Math.ceil(sound.length / 48 / 50))
    const heard = await textOf(platform, Buffer.concat([wavHeader(24_000), sound]), 'answer.wav')
    expect(wordErrors('The sea is calm today. We can sail in the morning.', heard)).toBeLessThan(4)
  })

  it('know a spoken answer by its id in later turns, until it expires, and in its own project alone', async () => {
    const clock = new ManualClock()
    const chat = scripted()
    const platform = await start({ runtimes: { ...chat.runtimes, ...audio }, clock })
    const completion = (await (await post(platform, wish('pcm16'))).json()) as unknown as ChatCompletion
    const { id, expires_at } = completion.choices[0]?.message.audio ?? { id: '', expires_at: 0 }
    expect(expires_at).toBe(unixSeconds(clock) + 3_600)
    const messages = [...question, { role: 'assistant', audio: { id } }, said('When?')]
    expect((await post(platform, { messages })).status).toBe(200)
    expect(chat.requests.at(-1)?.messages[1]).toEqual({ role: 'assistant', content: answered })
    const unknown = { param: 'messages[1].audio.id', code: 'audio_not_found' }
    expect(await errorFor(await platform.addProject('other'), { messages })).toMatchObject(unknown)
    clock.advanceSeconds(3_600)
    expect(await errorFor(platform, { messages })).toMatchObject(unknown)
  })

  it('leave an answer without words as it is', async () => {
    const chat = scripted([{ call: 'sail', arguments: ['{}'] }])
    const platform = await start({ runtimes: { ...chat.runtimes, ...audio } })
    const tools = [{ type: 'function', function: { name: 'sail' } }]
    const completion = (await (await post(platform, { ...wish(), tools })).json()) as unknown as ChatCompletion
    const message = completion.choices[0]?.message
    expect(message).toMatchObject({ content: null, tool_calls: [{ function: { name: 'sail' } }] })
    expect(message?.audio).toBeUndefined()
    expect(completion.usage.completion_tokens_details.audio_tokens).toBe(0)
  })

  it('INF-056 refuse what cannot be heard, spoken or streamed', async () => {
    const chat = new ScriptedChatModel([['你好']])
    const platform = await start({ runtimes: { ...chat.runtimes, ...audio } })
    const heard = (data: string, format = 'wav') => ({
      messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data, format } }] }],
    })
    const place = 'messages[0].content[0].input_audio'
    const cases: [body: object, param: string, code: string][] = [
      [{ modalities: ['text', 'audio'] }, 'audio', 'missing_required_parameter'],
      [{ ...wish(), stream: true }, 'audio.format', 'unsupported_value'],
      [heard('this is no base64!'), `${place}.data`, 'invalid_base64'],
      [heard('UklGRg=='), `${place}.data`, 'invalid_value'],
      [heard(Buffer.from('this is no sound').toString('base64'), 'mp3'), `${place}.data`, 'invalid_value'],
      [heard('UklGRg==', 'flac'), `${place}.format`, 'invalid_value'],
      [wish(), 'modalities', 'invalid_value'],
      [
        {
          ...wish('pcm16'),
          stream: true,
          messages: [said('Hi'), { role: 'assistant', audio: { id: 'audio_1' } }, said('?')],
        },
        'messages[1].audio.id',
        'audio_not_found',
      ],
    ]
    for (const [body, param, code] of cases) {
      expect(await errorFor(platform, body), JSON.stringify(body)).toMatchObject({ param, code })
    }
    expect(transcription.load?.().running).toBe(0)
  })
})
