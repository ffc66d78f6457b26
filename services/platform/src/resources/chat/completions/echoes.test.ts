import { expect, it } from 'vitest'
import { complete } from '../../../testing/chat-requests.ts'
import { describePlatformOnSqlite } from '../../../testing/describe-platform.ts'
import { ScriptedChatModel } from '../../../testing/scripted-chat-model.ts'

const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }
const asked = { role: 'user', content: 'Look' }
const said = { role: 'assistant', content: 'I see.' }

/** What clients send back, and what of it counts. */
const echoes: [sent: object[], shown: object[]][] = [
  [
    [{ ...said, parsed: { deep: [{ er: 1 }] }, annotations: [], reasoning_content: 'hm', reasoning: null }, asked],
    [said, asked],
  ],
  [
    // As openai-python's model_dump writes a message.
    [{ ...said, refusal: null, audio: null, function_call: null, tool_calls: null, name: null }, asked],
    [{ ...said, refusal: null }, asked],
  ],
  [
    // As openai 4.77 writes one it has parsed.
    [{ ...said, tool_calls: [], parsed: null }, asked],
    [said, asked],
  ],
  [
    [
      asked,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ ...call, index: 0, function: { ...call.function, parsed_arguments: {}, parsed: null } }],
      },
      { role: 'tool', tool_call_id: 'call_1', name: 'look', content: 'a tree', status: 'success', artifact: null },
    ],
    [
      asked,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'a tree' },
    ],
  ],
  [
    [
      { role: 'assistant', content: [{ type: 'text', text: 'I see.', annotations: [] }] },
      { role: 'user', content: [{ type: 'text', text: 'Look', cache_control: { type: 'ephemeral' } }], id: 'msg_1' },
    ],
    [
      { role: 'assistant', content: [{ type: 'text', text: 'I see.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Look' }] },
    ],
  ],
  [
    [
      { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{}', parsed: {} } },
      { role: 'function', name: 'look', content: 'a tree', tool_call_id: null },
    ],
    [
      { role: 'assistant', content: null, tool_calls: [{ ...call, id: 'call_0' }] },
      { role: 'tool', tool_call_id: 'call_0', content: 'a tree' },
    ],
  ],
]

describePlatformOnSqlite('messages that clients send back', (start) => {
  it.for(echoes.map((echo, index) => [index, ...echo] as const))(
    'keep what counts and lose the rest (%i)',
    async ([, sent, shown]) => {
      const model = new ScriptedChatModel([['A tree.']])
      const platform = await start({ runtimes: model.runtimes })
      await complete(platform, { messages: sent })
      expect(model.requests[0]?.messages).toEqual(shown)
    },
  )
})
