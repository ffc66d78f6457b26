// Many requests as one file, and their answers as another. Needs OPENAI_BASE_URL and OPENAI_API_KEY.
import { setTimeout } from 'node:timers/promises'
import OpenAI, { toFile } from 'openai'

const client = new OpenAI()

const questions = {
  'capital-of-france': 'What is the capital of France?',
  'salty-sea': 'Why is the sea salty?',
  greeting: 'Say hello.',
}
const lines = Object.entries(questions).map(([custom_id, content]) => {
  const body = { model: 'gpt-4o-mini', messages: [{ role: 'user', content }], temperature: 0, max_tokens: 60 }
  return JSON.stringify({ custom_id, method: 'POST', url: '/v1/chat/completions', body })
})

const input = await client.files.create({
  file: await toFile(Buffer.from(lines.join('\n')), 'questions.jsonl'),
  purpose: 'batch',
})
let batch = await client.batches.create({
  input_file_id: input.id,
  endpoint: '/v1/chat/completions',
  completion_window: '24h',
})
while (!['completed', 'failed', 'expired', 'cancelled'].includes(batch.status)) {
  await setTimeout(500)
  batch = await client.batches.retrieve(batch.id)
}
if (!batch.output_file_id) throw new Error(`The batch is ${batch.status}: ${JSON.stringify(batch.errors?.data)}`)

// Answers come in any order: the custom_id tells what each belongs to.
const output = await (await client.files.content(batch.output_file_id)).text()
for (const line of output.trimEnd().split('\n')) {
  const { custom_id, response } = JSON.parse(line)
  console.log(`${custom_id}: ${response.body.choices[0].message.content}`)
}
