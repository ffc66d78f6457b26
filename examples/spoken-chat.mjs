// Asks a question aloud and gets the answer aloud, whole and as a stream. Needs OPENAI_BASE_URL and OPENAI_API_KEY.
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI from 'openai'

const client = new OpenAI()
const model = 'gpt-4o-audio-preview'

const question = 'What is the capital of France?'
const spoken = await client.audio.speech.create({
  model: 'tts-1',
  voice: 'ash',
  input: question,
  response_format: 'wav',
})
const data = Buffer.from(await spoken.arrayBuffer()).toString('base64')
console.log(`Asked: ${question}`)

const messages = [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data, format: 'wav' } }] }]
const completion = await client.chat.completions.create({
  model,
  messages,
  modalities: ['text', 'audio'],
  audio: { voice: 'alloy', format: 'wav' },
  max_completion_tokens: 40,
})
const { audio } = completion.choices[0].message
console.log(`Answered: ${audio.transcript}`)
const file = join(await mkdtemp(join(tmpdir(), 'chat-')), 'answer.wav')
const sound = Buffer.from(audio.data, 'base64')
await writeFile(file, sound)
console.log(`Saved ${file}, ${((sound.length - 44) / 48_000).toFixed(1)} seconds`)

// The earlier answer is named by its id; a stream is pcm16, 24,000 samples a second.
messages.push({ role: 'assistant', audio: { id: audio.id } }, { role: 'user', content: 'Say goodbye.' })
const stream = await client.chat.completions.create({
  model,
  messages,
  modalities: ['text', 'audio'],
  audio: { voice: 'alloy', format: 'pcm16' },
  max_completion_tokens: 40,
  stream: true,
})
let [pieces, text] = [0, '']
for await (const { choices } of stream) {
  const piece = choices[0]?.delta.audio
  if (piece?.data) pieces += 1
  text += piece?.transcript ?? ''
}
console.log(`Answered in ${pieces} pieces: ${text}`)
