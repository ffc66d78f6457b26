import { ModelProblem } from '@atoll/models/problem'
import { expect, it } from 'vitest'
import { describePlatformOnSqlite } from '../../testing/describe-platform.ts'
import type { Piece } from '../../testing/scripted-chat-model.ts'
import { decodeSamples } from './audio/formats.ts'
import { RealtimeClient, type Told, typesOf } from './testing/realtime-client.ts'
import { base64Of, ScriptedVoice, silenceOf, toneOf } from './testing/scripted-voice.ts'

const transcribed = 'conversation.item.input_audio_transcription'

function append(client: RealtimeClient, samples: Int16Array): void {
  client.send({ type: 'input_audio_buffer.append', audio: base64Of(samples) })
}

/** In pieces of 100 ms, as clients of microphones send it. */
function stream(client: RealtimeClient, samples: Int16Array): void {
  for (let at = 0; at < samples.length; at += 2_400) append(client, samples.slice(at, at + 2_400))
}

const soundOf = (events: readonly Told[]): Buffer =>
  Buffer.concat(
    events.filter(({ type }) => type === 'response.audio.delta').map(({ delta }) => Buffer.from(delta, 'base64')),
  )

describePlatformOnSqlite('a realtime session of sound', (start) => {
  it('AST-141 AST-142 AST-144 AST-146 AST-147 AST-148 AST-177 AST-180 AST-182 AST-186 AST-187 AST-305 commits what was appended as a message of the user, and writes it down', async () => {
    const voice = new ScriptedVoice([['Never asked.']], () => 'Good morning')
    const client = await RealtimeClient.connect(await start(voice.start))
    client.update({ turn_detection: null, input_audio_transcription: { model: 'whisper-1' } })
    expect((await client.next('session.updated')).session.input_audio_transcription).toMatchObject({
      model: 'whisper-1',
    })
    client.say('Before.', { id: 'item_before' })
    await client.next('conversation.item.created')
    append(client, toneOf(300))
    append(client, toneOf(200))
    client.send({ type: 'input_audio_buffer.commit' })
    const committed = await client.next('input_audio_buffer.committed')
    expect(committed).toMatchObject({ previous_item_id: 'item_before', item_id: expect.stringMatching(/^item_/) })
    expect(await client.next('conversation.item.created')).toMatchObject({
      previous_item_id: 'item_before',
      item: {
        id: committed.item_id,
        object: 'realtime.item',
        type: 'message',
        role: 'user',
        status: 'completed',
        content: [{ type: 'input_audio', transcript: null }],
      },
    })
    expect(await client.next(`${transcribed}.completed`)).toMatchObject({
      item_id: committed.item_id,
      content_index: 0,
      transcript: 'Good morning',
    })
    expect(voice.heardSeconds).toEqual([0.5])
    client.send({ type: 'conversation.item.retrieve', item_id: committed.item_id })
    const { content } = (await client.next('conversation.item.retrieved')).item
    expect(content[0]).toMatchObject({ transcript: 'Good morning' })
    expect(Buffer.from(content[0].audio, 'base64')).toHaveLength(24_000)
    client.send({ type: 'response.cancel' })
    expect((await client.next('error')).error.code).toBe('response_cancel_not_active')
    expect(voice.chat.requests).toEqual([])
    await client.close()
  })

  it('AST-145 AST-150 AST-188 refuses to commit nothing, also after the buffer was cleared', async () => {
    const client = await RealtimeClient.connect(await start(new ScriptedVoice([], () => '').start))
    client.update({ turn_detection: null })
    await client.next('session.updated')
    client.send({ type: 'input_audio_buffer.commit', event_id: 'none' })
    expect((await client.next('error')).error).toMatchObject({
      type: 'invalid_request_error',
      code: 'input_audio_buffer_commit_empty',
      event_id: 'none',
    })
    append(client, toneOf(500))
    client.send({ type: 'input_audio_buffer.clear' })
    await client.next('input_audio_buffer.cleared')
    client.send({ type: 'input_audio_buffer.commit' })
    expect((await client.next('error')).error.message).toContain('0.00ms')
    await client.close()
  })

  it('AST-292 takes 15 MiB in one append, and refuses a byte more without harm', async () => {
    const voice = new ScriptedVoice([], (_, seconds) => String(Math.round(seconds)))
    const client = await RealtimeClient.connect(await start(voice.start))
    client.update({ turn_detection: null, input_audio_transcription: { model: 'whisper-1' } })
    await client.next('session.updated')
    const most = 15 * 1024 * 1024
    const event = (bytes: number, event_id: string) => ({
      type: 'input_audio_buffer.append',
      event_id,
      audio: Buffer.alloc(bytes).toString('base64'),
    })
    client.send(event(most + 1, 'large'))
    expect((await client.next('error')).error).toMatchObject({ code: 'audio_too_large', event_id: 'large' })
    client.send(event(most, 'fits'))
    client.send({ type: 'input_audio_buffer.commit' })
    expect((await client.last(`${transcribed}.completed`)).transcript).toBe(String(Math.round(most / 48_000)))
    client.send({ type: 'input_audio_buffer.append', audio: '!!!' })
    expect((await client.next('error')).error).toMatchObject({ code: 'invalid_value', param: 'audio' })
    await client.close()
  }, 60_000)

  it('AST-143 AST-149 AST-164 AST-177 AST-189 AST-190 AST-191 AST-305 hears where speech begins and ends, commits it and answers by itself', async () => {
    const voice = new ScriptedVoice([['Hello to you.']], () => 'Hello there')
    const client = await RealtimeClient.connect(await start(voice.start))
    stream(client, silenceOf(1_000))
    stream(client, toneOf(800))
    const started = await client.next('input_audio_buffer.speech_started')
    stream(client, silenceOf(700))
    const stopped = await client.next('input_audio_buffer.speech_stopped')
    const committed = await client.next('input_audio_buffer.committed')
    expect(stopped.item_id).toBe(started.item_id)
    expect(committed.item_id).toBe(started.item_id)
    // 300 ms before the tone begins, and 500 ms after it ends, to the frame.
    expect(Math.abs(started.audio_start_ms - 700)).toBeLessThanOrEqual(32)
    expect(Math.abs(stopped.audio_end_ms - 2_300)).toBeLessThanOrEqual(64)
    expect((await client.next('conversation.item.created')).item.id).toBe(started.item_id)
    const events = await client.until('response.done')
    expect(typesOf(events)).toEqual(expect.arrayContaining(['response.created', 'response.audio.delta']))
    expect(voice.heardSeconds[0]).toBeCloseTo((stopped.audio_end_ms - started.audio_start_ms) / 1000, 1)
    expect(voice.chat.requests[0]?.messages.at(-1)).toEqual({ role: 'user', content: 'Hello there' })
    const { usage } = events.at(-1)?.response ?? {}
    expect(usage.input_token_details.audio_tokens).toBeGreaterThan(10)
    expect(usage.input_tokens).toBe(usage.input_token_details.text_tokens + usage.input_token_details.audio_tokens)
    expect(usage.output_token_details.audio_tokens).toBe(Math.ceil(('Hello to you.'.length * 10) / 50))
    await client.close()
  })

  it('AST-136 AST-149 follows the threshold, the padding, the silence and create_response of its settings', async () => {
    const voice = new ScriptedVoice([['No.']], () => 'Words')
    const client = await RealtimeClient.connect(await start(voice.start))
    const vad = { type: 'server_vad', threshold: 0.5, prefix_padding_ms: 0, silence_duration_ms: 1_500 }
    client.update({ turn_detection: { ...vad, create_response: false } })
    await client.next('session.updated')
    stream(client, silenceOf(500))
    stream(client, toneOf(500))
    stream(client, silenceOf(1_000))
    stream(client, toneOf(500))
    stream(client, silenceOf(1_800))
    const started = await client.next('input_audio_buffer.speech_started')
    expect(Math.abs(started.audio_start_ms - 500)).toBeLessThanOrEqual(32)
    const stopped = await client.next('input_audio_buffer.speech_stopped')
    expect(Math.abs(stopped.audio_end_ms - 4_000)).toBeLessThanOrEqual(64)
    await client.next('input_audio_buffer.committed')
    await client.next('conversation.item.created')
    client.update({ turn_detection: { ...vad, threshold: 0.95 } })
    await client.next('session.updated')
    stream(client, toneOf(500))
    stream(client, silenceOf(2_000))
    client.send({ type: 'input_audio_buffer.clear' })
    await client.next('input_audio_buffer.cleared')
    expect(voice.chat.requests).toEqual([])
    await client.close()
  })

  it('AST-181 AST-183 AST-304 tells when speech could not be written down, and that a response to it failed', async () => {
    const broken = new ModelProblem('The ears are deaf.', { kind: 'failed' })
    const voice = new ScriptedVoice([['Go on.']], async (index) => {
      if (index === 0) throw broken
      return 'Once more'
    })
    const client = await RealtimeClient.connect(await start(voice.start))
    client.update({ turn_detection: null, modalities: ['text'], input_audio_transcription: { model: 'whisper-1' } })
    await client.next('session.updated')
    append(client, toneOf(300))
    client.send({ type: 'input_audio_buffer.commit' })
    const { item_id } = await client.next('input_audio_buffer.committed')
    await client.next('conversation.item.created')
    expect(await client.next(`${transcribed}.failed`)).toMatchObject({
      event_id: expect.any(String),
      item_id,
      content_index: 0,
      error: { type: 'transcription_error', code: 'server_error', message: expect.any(String), param: null },
    })
    client.send({ type: 'response.create' })
    expect((await client.last('response.done')).response.status).toBe('failed')
    expect((await client.next('error')).error.type).toBe('server_error')
    append(client, toneOf(300))
    client.send({ type: 'input_audio_buffer.commit' })
    client.send({ type: 'response.create' })
    expect((await client.last('response.done')).response.status).toBe('completed')
    expect(voice.chat.requests[0]?.messages.at(-1)?.content).toBe('Once more')
    await client.close()
  })

  it('AST-155 AST-156 AST-157 AST-184 cuts an answer to what was played, in sound and in words', async () => {
    const voice = new ScriptedVoice([['One two three. Four five six. Seven eight.'], ['Go on.']], () => '')
    const client = await RealtimeClient.connect(await start(voice.start))
    client.update({ turn_detection: null, instructions: '' })
    await client.next('session.updated')
    client.send({ type: 'response.create' })
    const done = await client.last('response.done')
    const item_id = done.response.output[0].id
    const cut = (audio_end_ms: number, content_index = 0) =>
      client.send({ type: 'conversation.item.truncate', item_id, content_index, audio_end_ms })
    cut(9_000)
    expect((await client.next('error')).error.message).toBe('Audio content of 420ms is already shorter than 9000ms')
    cut(100, 1)
    expect((await client.next('error')).error.param).toBe('content_index')
    cut(210)
    expect(await client.next('conversation.item.truncated')).toMatchObject({
      item_id,
      content_index: 0,
      audio_end_ms: 210,
    })
    client.send({ type: 'conversation.item.retrieve', item_id })
    expect((await client.next('conversation.item.retrieved')).item.content[0].transcript).toBe('One two three. Four')
    client.say('And?', { id: 'item_text' })
    client.send({ type: 'conversation.item.truncate', item_id: 'item_text', content_index: 0, audio_end_ms: 0 })
    expect((await client.last('error')).error.param).toBe('item_id')
    client.send({ type: 'response.create' })
    await client.until('response.done')
    expect(voice.chat.requests[1]?.messages).toEqual([
      { role: 'assistant', content: 'One two three. Four' },
      { role: 'user', content: 'And?' },
    ])
    await client.close()
  })

  it('AST-137 AST-163 AST-196 speaks while the model writes on, with the events of sound in their order; the voice stays then', async () => {
    const { promise: rest, resolve: writeOn } = Promise.withResolvers<void>()
    const pieces: Piece[] = ['This is the first sentence. ', { wait: rest }, 'This is the second one.']
    const voice = new ScriptedVoice([pieces], () => '')
    const client = await RealtimeClient.connect(await start(voice.start))
    client.update({ voice: 'sage', turn_detection: null })
    await client.next('session.updated')
    client.send({ type: 'response.create' })
    const first = await client.until('response.audio.delta')
    expect(voice.spoken).toMatchObject([
      { text: 'This is the first sentence.', voice: 'sage', format: 'pcm', speed: 1 },
    ])
    writeOn()
    const events = [...first, ...(await client.until('response.done'))]
    expect([...new Set(typesOf(events))]).toEqual([
      'response.created',
      'rate_limits.updated',
      'response.output_item.added',
      'conversation.item.created',
      'response.content_part.added',
      'response.audio_transcript.delta',
      'response.audio.delta',
      'response.audio.done',
      'response.audio_transcript.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.done',
    ])
    const text = 'This is the first sentence. This is the second one.'
    expect(events.find(({ type }) => type === 'response.audio_transcript.done')?.transcript).toBe(text)
    expect(soundOf(events)).toHaveLength(text.length * 480)
    expect(events.at(-1)?.response.output[0].content).toEqual([{ type: 'audio', transcript: text }])
    client.update({ voice: 'echo' })
    expect((await client.next('error')).error.code).toBe('cannot_update_voice')
    await client.close()
  })

  it('AST-189 speech stops the answer that is being spoken', async () => {
    const { promise: never } = Promise.withResolvers<void>()
    const voice = new ScriptedVoice(
      [['The first sentence is heard. ', 'The second one is not.'], ['Yes, go ahead.']],
      (index) => `Turn ${index}`,
      async (index) => void (index === 1 && (await never)),
    )
    const client = await RealtimeClient.connect(await start(voice.start))
    client.say('Tell me a story.')
    client.send({ type: 'response.create' })
    await client.until('response.audio.delta')
    stream(client, toneOf(600))
    const until = await client.until('response.done')
    expect(typesOf(until)).toContain('input_audio_buffer.speech_started')
    expect(until.at(-1)?.response).toMatchObject({
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'turn_detected' },
      output: [{ status: 'incomplete' }],
    })
    stream(client, silenceOf(700))
    const next = await client.until('response.done')
    expect(next.at(-1)?.response).toMatchObject({ status: 'completed' })
    await client.close()
  })

  it.each(['g711_ulaw', 'g711_alaw'] as const)('AST-134 takes and gives sound as %s', async (format) => {
    const voice = new ScriptedVoice([['A tone of ten letters.']], () => 'Hm')
    const client = await RealtimeClient.connect(await start(voice.start))
    client.update({ turn_detection: null, input_audio_format: format, output_audio_format: format })
    await client.next('session.updated')
    client.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(8_000, 0xd5).toString('base64') })
    client.send({ type: 'input_audio_buffer.commit' })
    client.send({ type: 'response.create' })
    const events = await client.until('response.done')
    expect(voice.heardSeconds).toEqual([1])
    const samples = decodeSamples({ format, bytes: soundOf(events) })
    expect(Math.abs(samples.length - 'A tone of ten letters.'.length * 80)).toBeLessThanOrEqual(2)
    expect(Math.max(...samples)).toBeGreaterThan(6_000)
    await client.close()
  })

  it('hears sound that came in an item, and changes of format in mid-buffer', async () => {
    const voice = new ScriptedVoice([['Yes.']], (_, seconds) => `${seconds} seconds`)
    const client = await RealtimeClient.connect(await start(voice.start))
    client.update({ turn_detection: null, modalities: ['text'], instructions: '' })
    append(client, toneOf(500))
    client.update({ input_audio_format: 'g711_ulaw' })
    client.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(4_000).toString('base64') })
    client.send({ type: 'input_audio_buffer.commit' })
    const content = [{ type: 'input_audio', audio: Buffer.alloc(16_000).toString('base64') }]
    client.say('', { content })
    client.send({ type: 'response.create' })
    await client.until('response.done')
    expect(voice.chat.requests[0]?.messages.map((message) => message.content)).toEqual(['1 seconds', '2 seconds'])
    await client.close()
  })
})
