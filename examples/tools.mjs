// The model calls a function of this program and reads what it returned. Needs OPENAI_BASE_URL and OPENAI_API_KEY.
import OpenAI from 'openai'

const client = new OpenAI()

const celsius = { Paris: 18, Oslo: 7, Cairo: 31 }
const tools = [
  {
    type: 'function',
    function: {
      name: 'temperature',
      description: 'The temperature in a city, in degrees Celsius',
      strict: true,
      parameters: {
        type: 'object',
        properties: { city: { type: 'string', enum: Object.keys(celsius) } },
        required: ['city'],
        additionalProperties: false,
      },
    },
  },
]
const messages = [{ role: 'user', content: 'How warm is it in Oslo?' }]
const ask = { model: 'gpt-4o-mini', tools, parallel_tool_calls: false, max_completion_tokens: 200 }

const asked = await client.chat.completions.create({ ...ask, messages, tool_choice: 'required' })
const message = asked.choices[0]?.message
if (!message?.tool_calls) throw new Error('The model called no function.')
messages.push(message)
for (const call of message.tool_calls) {
  if (call.type !== 'function') continue
  const { city } = JSON.parse(call.function.arguments)
  console.log(`The model calls ${call.function.name}('${city}'): ${celsius[city]} degrees`)
  messages.push({ role: 'tool', tool_call_id: call.id, content: String(celsius[city]) })
}

const answered = await client.chat.completions.create({ ...ask, messages, tool_choice: 'none' })
console.log(answered.choices[0]?.message.content)
