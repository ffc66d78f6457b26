import type { ChatRequest } from '@atoll/models/chat'
import type { Runtime } from '@atoll/models/runtime'
import { expect, it } from 'vitest'
import { describePlatformOnSqlite } from '../../testing/describe-platform.ts'
import { RealtimeClient } from './testing/realtime-client.ts'
import { ScriptedVoice } from './testing/scripted-voice.ts'

/** The runtimes of a script, with models that tell when they are warmed. */
function watched(script: ScriptedVoice, warmed: string[]) {
  const { runtimes = {}, config } = script.start
  const { 'builtin-chat': chat, ears, voice } = runtimes as Record<string, Runtime>
  const note = (name: string) => async () => void warmed.push(name)
  const warmChat = async ({ messages }: ChatRequest): Promise<void> => {
    warmed.push(`chat: ${messages[0]?.role}`)
    throw new Error('It cannot be warmed.')
  }
  return {
    ...(config === undefined ? {} : { config }),
    runtimes: {
      'builtin-chat': { ...chat, chat: Object.assign(script.chat, { warm: warmChat }) },
      ears: { ...ears, transcription: { ...ears?.transcription, warm: note('transcription') } },
      voice: { ...voice, speech: { ...voice?.speech, warm: note('speech') } },
    } as Record<string, Runtime>,
  }
}

describePlatformOnSqlite('the models of a session', (start) => {
  it("get ready when it opens, at nobody's expense, and a session goes on whatever comes of it", async () => {
    const warmed: string[] = []
    const script = new ScriptedVoice([['Good morning.']], () => '')
    const platform = await start(watched(script, warmed))
    const client = await RealtimeClient.connect(platform)
    await expect.poll(() => warmed.toSorted()).toEqual(['chat: system', 'speech', 'transcription'])
    await platform.platform.inference.usage.flush()
    expect(await platform.kernel.db.queries.selectFrom('usage_events').selectAll().execute()).toEqual([])
    client.update({ modalities: ['text'], turn_detection: null })
    client.say('Hello.')
    client.send({ type: 'response.create' })
    expect((await client.last('response.done')).response.status).toBe('completed')
    await client.close()
  })
})
