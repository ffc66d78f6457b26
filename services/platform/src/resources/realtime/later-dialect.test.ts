import { expect, it } from 'vitest'
import { describePlatformOnSqlite } from '../../testing/describe-platform.ts'
import { RealtimeClient, typesOf } from './testing/realtime-client.ts'
import { ScriptedVoice } from './testing/scripted-voice.ts'

describePlatformOnSqlite('a client without the beta mark', (start) => {
  it('is told everything in the later names, in their order', async () => {
    const voice = new ScriptedVoice([['Hello.'], ['Written.']], () => 'Hi')
    const client = await RealtimeClient.connect(await start(voice.start), { dialect: 'later' })
    client.update({
      type: 'realtime',
      output_modalities: ['audio'],
      max_output_tokens: 99,
      tracing: 'auto',
      audio: {
        input: {
          format: { type: 'audio/pcm', rate: 24_000 },
          transcription: { model: 'gpt-4o-mini-transcribe' },
          turn_detection: null,
          noise_reduction: null,
        },
        output: { format: { type: 'audio/pcmu' }, voice: 'coral', speed: 1.25 },
      },
    })
    const { session } = await client.next('session.updated')
    expect(session).toMatchObject({
      type: 'realtime',
      object: 'realtime.session',
      output_modalities: ['audio'],
      max_output_tokens: 99,
      tracing: null,
      audio: {
        input: { format: { type: 'audio/pcm', rate: 24_000 }, transcription: { model: 'gpt-4o-mini-transcribe' } },
        output: { format: { type: 'audio/pcmu' }, voice: 'coral', speed: 1.25 },
      },
    })
    expect(session).not.toHaveProperty('modalities')
    client.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(9_600).toString('base64') })
    client.send({ type: 'input_audio_buffer.commit' })
    expect(typesOf(await client.until('conversation.item.input_audio_transcription.completed'))).toEqual([
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.done',
      'conversation.item.input_audio_transcription.delta',
      'conversation.item.input_audio_transcription.completed',
    ])
    client.send({ type: 'response.create' })
    const events = await client.until('response.done')
    expect([...new Set(typesOf(events))]).toEqual([
      'response.created',
      'rate_limits.updated',
      'response.output_item.added',
      'conversation.item.added',
      'response.content_part.added',
      'response.output_audio_transcript.delta',
      'response.output_audio.delta',
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.content_part.done',
      'conversation.item.done',
      'response.output_item.done',
      'response.done',
    ])
    expect(events.at(-1)?.response.output[0].content).toEqual([{ type: 'output_audio', transcript: 'Hello.' }])
    expect(voice.spoken[0]).toMatchObject({ voice: 'coral', speed: 1.25 })
    const content = [{ type: 'output_text', text: 'I said so.' }]
    client.send({ type: 'conversation.item.create', item: { type: 'message', role: 'assistant', content } })
    expect((await client.next('conversation.item.added')).item.content).toEqual(content)
    await client.next('conversation.item.done')
    client.send({ type: 'response.create', response: { output_modalities: ['text'], max_output_tokens: 5 } })
    const written = await client.until('response.done')
    expect(typesOf(written)).toEqual(
      expect.arrayContaining(['response.output_text.delta', 'response.output_text.done']),
    )
    expect(written.at(-1)?.response.output[0].content).toEqual([{ type: 'output_text', text: 'Written.' }])
    await client.close()
  })

  it('is told in its own names what is wrong, and what cannot be done', async () => {
    const client = await RealtimeClient.connect(await start(new ScriptedVoice([], () => '').start), {
      dialect: 'later',
    })
    for (const [session, param] of [
      [{ audio: { output: { voice: 'nobody' } } }, 'session.audio.output.voice'],
      [{ audio: { input: { format: { type: 'audio/mp3' } } } }, 'session.audio.input.format'],
      [{ audio: { input: { format: { type: 'audio/pcm', rate: 8_000 } } } }, 'session.audio.input.format'],
      [{ audio: { input: { noise_reduction: { type: 'near_field' } } } }, 'session.audio.input.noise_reduction'],
      [{ audio: { input: { loudness: 1 } } }, 'session.audio.input.loudness'],
      [{ audio: 'loud' }, 'session.audio'],
      [{ prompt: { id: 'p' } }, 'session.prompt'],
      [{ reasoning: {} }, 'session.reasoning'],
      [{ output_modalities: ['smell'] }, 'session.output_modalities[0]'],
    ] as const) {
      client.update({ type: 'realtime', ...session })
      expect((await client.next('error')).error).toMatchObject({ type: 'invalid_request_error', param })
    }
    client.update({
      type: 'realtime',
      audio: { input: { turn_detection: { type: 'semantic_vad', eagerness: 'low' } } },
    })
    expect((await client.next('session.updated')).session.audio.input.turn_detection.eagerness).toBe('low')
    await client.close()
  })
})
