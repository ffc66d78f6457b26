// Events that nobody would send, in any order: the session answers, and lives.
import { expect, it } from 'vitest'
import { describePlatformOnSqlite } from '../../testing/describe-platform.ts'
import { dial, RealtimeClient } from './testing/realtime-client.ts'
import { base64Of, ScriptedVoice, silenceOf, toneOf } from './testing/scripted-voice.ts'

const count = process.env.ATOLL_TEST_LONG ? 10_000 : 1_500

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const values = ['', 'x', 'item_1', 'inf', 'root', '\u0000', '💥', -1, 0, 1, 0.5, 1e308, true, false, null, [], {}]
const anything = (pick: (below: number) => number): unknown => structuredClone(values[pick(values.length)])

const events: object[] = [
  { type: 'session.update', session: { instructions: 'x', temperature: 0.8, voice: 'alloy' } },
  { type: 'session.update', session: { modalities: ['text'], turn_detection: null } },
  { type: 'session.update', session: { modalities: ['text', 'audio'], turn_detection: { type: 'server_vad' } } },
  { type: 'session.update', session: { input_audio_format: 'g711_ulaw', tools: [{ type: 'function', name: 'f' }] } },
  {
    type: 'session.update',
    session: { input_audio_format: 'pcm16', input_audio_transcription: { model: 'whisper-1' } },
  },
  { type: 'input_audio_buffer.append', audio: base64Of(toneOf(200)) },
  { type: 'input_audio_buffer.append', audio: base64Of(silenceOf(700)) },
  { type: 'input_audio_buffer.commit' },
  { type: 'input_audio_buffer.clear' },
  {
    type: 'conversation.item.create',
    previous_item_id: 'item_1',
    item: { id: 'item_1', type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
  },
  { type: 'conversation.item.create', item: { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' } },
  { type: 'conversation.item.create', item: { type: 'function_call_output', call_id: 'c', output: '1' } },
  { type: 'conversation.item.truncate', item_id: 'item_1', content_index: 0, audio_end_ms: 10 },
  { type: 'conversation.item.delete', item_id: 'item_1' },
  { type: 'conversation.item.retrieve', item_id: 'item_1' },
  { type: 'response.create', response: { modalities: ['text'], max_output_tokens: 5, conversation: 'none' } },
  { type: 'response.create' },
  { type: 'response.cancel' },
]

/** One of the events, often with something else somewhere in it; sometimes no event at all. */
function fuzzed(pick: (below: number) => number): string | Buffer {
  const event = structuredClone(events[pick(events.length)] as object) as Record<string, unknown>
  for (let changes = pick(3); changes > 0; changes--) change(event, pick)
  const text = JSON.stringify(event)
  switch (pick(20)) {
    case 0:
      return text.slice(0, pick(text.length))
    case 1:
      return Buffer.from(text)
    case 2:
      return JSON.stringify(anything(pick))
    default:
      return text
  }
}

function change(value: Record<string, unknown>, pick: (below: number) => number): void {
  const names = Object.keys(value)
  const name = names[pick(names.length)] ?? 'type'
  const inner = value[name]
  const kind = pick(12)
  if (typeof inner === 'object' && inner !== null && kind < 8) change(inner as Record<string, unknown>, pick)
  else if (kind === 9) delete value[name]
  else if (kind === 10) value[`${name}x`] = anything(pick)
  else value[name] = anything(pick)
}

describePlatformOnSqlite('fuzzed events', (start) => {
  it(`AST-173 ${count} of them leave sessions of both dialects usable`, async () => {
    const voice = new ScriptedVoice(
      (_, index) => [`Answer ${index}. `, { pauseMs: 1 }, { call: 'f', arguments: ['{}'] }],
      (index) => `Words ${index}`,
    )
    const platform = await start(voice.start)
    for (const dialect of [undefined, 'later'] as const) {
      const client = await RealtimeClient.connect(platform, dialect === undefined ? {} : { dialect })
      const pick = numbers(dialect === undefined ? 1 : 2)
      for (let sent = 0; sent < count / 2; sent += 50) {
        for (let index = 0; index < 50; index++) client.socket.send(fuzzed(pick))
        client.send({ type: 'nonsense', event_id: `mark_${sent}` })
        let told = await client.next()
        while (told.error?.event_id !== `mark_${sent}`) told = await client.next()
      }
      expect(client.socket.readyState).toBe(client.socket.OPEN)
      await client.close()
    }
    const after = new RealtimeClient(dial(platform))
    await after.next('session.created')
    after.update({ modalities: ['text'] })
    after.send({ type: 'response.create' })
    expect((await after.last('response.done')).response.status).toBe('completed')
    await after.close()
    expect(platform.logged()).not.toContain('"level":50')
  }, 300_000)
})
