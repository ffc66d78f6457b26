// Has a text spoken, and what was spoken written down again. Needs OPENAI_BASE_URL and OPENAI_API_KEY.
import { createReadStream } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI from 'openai'

const client = new OpenAI()

const file = join(await mkdtemp(join(tmpdir(), 'speech-')), 'speech.mp3')
const sound = await client.audio.speech.create({
  model: 'tts-1',
  voice: 'ash',
  input: 'We walk along the water together.',
})
await writeFile(file, Buffer.from(await sound.arrayBuffer()))
console.log(`Spoken: ${file}`)

const { text, segments } = await client.audio.transcriptions.create({
  model: 'whisper-1',
  file: createReadStream(file),
  response_format: 'verbose_json',
})
console.log(`Heard: ${text}`)
for (const { start, end } of segments ?? []) console.log(`from ${start} s to ${end} s`)
