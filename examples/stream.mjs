// Prints an answer while the model writes it. Needs OPENAI_BASE_URL and OPENAI_API_KEY.
import OpenAI from 'openai'

const client = new OpenAI()
const started = performance.now()
let firstWordMs

const stream = await client.chat.completions.create({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: 'Count from one to ten, in words.' }],
  max_completion_tokens: 60,
  stream: true,
  stream_options: { include_usage: true },
})

for await (const chunk of stream) {
  const text = chunk.choices[0]?.delta.content
  if (text) {
    firstWordMs ??= performance.now() - started
    process.stdout.write(text)
  }
  if (chunk.usage)
    console.log(`\n${chunk.usage.completion_tokens} tokens, the first after ${firstWordMs?.toFixed(0)} ms`)
}
