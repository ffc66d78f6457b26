// Sessions that only write down what they hear, in both dialects.
import { expect, it } from 'vitest'
import { describePlatformOnSqlite } from '../../testing/describe-platform.ts'
import { errorOf } from '../../testing/requests.ts'
import { dial, RealtimeClient, refusal, typesOf } from './testing/realtime-client.ts'
import { base64Of, ScriptedVoice, silenceOf, toneOf } from './testing/scripted-voice.ts'

const query = 'intent=transcription'
const append = (samples: Int16Array) => ({ type: 'input_audio_buffer.append', audio: base64Of(samples) })
const turn = [append(silenceOf(400)), append(toneOf(600)), append(silenceOf(900))]
const written = 'conversation.item.input_audio_transcription.completed'
const voice = () => new ScriptedVoice([['never asked']], () => 'Hello there.')

describePlatformOnSqlite('sessions that only transcribe', (start) => {
  it('write down each turn and answer none, in the events of 2025', async () => {
    const script = voice()
    const platform = await start(script.start)
    const client = new RealtimeClient(dial(platform, { query }))
    const { session } = await client.next('transcription_session.created')
    expect(session).toMatchObject({
      object: 'realtime.transcription_session',
      input_audio_format: 'pcm16',
      input_audio_transcription: { model: 'whisper-1' },
      turn_detection: { type: 'server_vad', threshold: 0.5, prefix_padding_ms: 300, silence_duration_ms: 500 },
    })
    expect(Object.keys(session.turn_detection)).not.toContain('create_response')
    const transcription = { model: 'gpt-4o-mini-transcribe', language: 'en', prompt: 'greetings' }
    const update = { input_audio_transcription: transcription, input_audio_noise_reduction: null, include: [] }
    client.send({ type: 'transcription_session.update', session: update })
    const updated = await client.next('transcription_session.updated')
    expect(updated.session.input_audio_transcription).toEqual(transcription)
    for (const event of turn) client.send(event)
    expect(typesOf(await client.until(written))).toEqual([
      'input_audio_buffer.speech_started',
      'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed',
      'conversation.item.created',
      'conversation.item.input_audio_transcription.delta',
      written,
    ])
    expect(client.events.at(-1)?.transcript).toBe('Hello there.')
    client.send(append(toneOf(300)))
    client.send({ type: 'input_audio_buffer.commit' })
    expect((await client.last(written)).transcript).toBe('Hello there.')
    expect(script.chat.requests).toEqual([])
    await client.close()
  })

  it('refuse what belongs to conversations, and what cannot be done', async () => {
    const platform = await start(voice().start)
    const client = new RealtimeClient(dial(platform, { query }))
    await client.next('transcription_session.created')
    const update = (session: object) => ({ type: 'transcription_session.update', session })
    for (const [event, param] of [
      [{ type: 'response.create' }, 'type'],
      [{ type: 'conversation.item.delete', item_id: 'x' }, 'type'],
      [update({ voice: 'alloy' }), 'session.voice'],
      [update({ input_audio_transcription: null }), 'session.input_audio_transcription'],
      [update({ input_audio_noise_reduction: { type: 'near_field' } }), 'session.input_audio_noise_reduction'],
      [update({ include: ['item.input_audio_transcription.logprobs'] }), 'session.include'],
      [update({ input_audio_transcription: { model: 'gpt-4o-realtime-preview' } }), 'model'],
    ] as const) {
      client.send(event)
      expect((await client.next('error')).error, JSON.stringify(event)).toMatchObject({ param })
    }
    await client.close()
    expect(await refusal(dial(platform, { query: 'intent=dictation' }))).toMatchObject({ status: 400 })
    expect(await refusal(dial(platform, { query: `${query}&model=tts-1` }))).toMatchObject({
      status: 400,
      code: 'invalid_value',
    })
  })

  it('are the same by their type in the later dialect', async () => {
    const platform = await start(voice().start)
    const client = new RealtimeClient(dial(platform, { query, dialect: 'later' }))
    const { session } = await client.next('session.created')
    expect(session).toMatchObject({
      type: 'transcription',
      audio: { input: { transcription: { model: 'whisper-1' } } },
    })
    client.update({ type: 'realtime' })
    expect((await client.next('error')).error.param).toBe('session.type')
    client.update({ type: 'transcription', audio: { output: { voice: 'alloy' } } })
    expect((await client.next('error')).error.param).toBe('session.audio.output.voice')
    client.update({ type: 'transcription', audio: { input: { transcription: { model: 'gpt-4o-mini-transcribe' } } } })
    expect((await client.next('session.updated')).session.audio.input.transcription.model).toBe(
      'gpt-4o-mini-transcribe',
    )
    for (const event of turn) client.send(event)
    expect((await client.last(written)).transcript).toBe('Hello there.')
    await client.close()
  })

  it('are opened with short-lived keys that were made for them', async () => {
    const platform = await start(voice().start)
    const fields = { input_audio_transcription: { model: 'gpt-4o-mini-transcribe' }, turn_detection: null }
    const response = await platform.post('/v1/realtime/transcription_sessions', fields)
    const made = (await response.json()) as unknown as { client_secret: { value: string } }
    expect(made).toMatchObject({ object: 'realtime.transcription_session', ...fields })
    const { value: key } = made.client_secret
    const client = new RealtimeClient(dial(platform, { query, key }))
    expect((await client.next('transcription_session.created')).session).toMatchObject(fields)
    await client.close()
    expect(await refusal(dial(platform, { query: 'intent=conversation', key }))).toMatchObject({ status: 400 })
    const later = { type: 'transcription', audio: { input: { turn_detection: null } } }
    const secret = await (await platform.post('/v1/realtime/client_secrets', { session: later })).json()
    expect(secret).toMatchObject({ session: { type: 'transcription', audio: { input: { turn_detection: null } } } })
    const refused = await platform.post('/v1/realtime/transcription_sessions', { voice: 'alloy' })
    expect(await errorOf(refused)).toMatchObject({ param: 'session.voice' })
  })
})
