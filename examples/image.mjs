// Draws a picture, fetches it, and makes variations of it. Needs OPENAI_BASE_URL and OPENAI_API_KEY.
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI, { toFile } from 'openai'

const client = new OpenAI()

const { data: drawn } = await client.images.generate({
  model: 'dall-e-3',
  prompt: 'A red fox beside a snowman at night, with the title "Winter"',
  size: '1024x1024',
  style: 'vivid',
})
console.log(`Drawn: ${drawn[0].revised_prompt}`)

// The URL works for an hour, without a key.
const picture = Buffer.from(await (await fetch(drawn[0].url)).arrayBuffer())
const path = join(tmpdir(), 'atoll-example.png')
await writeFile(path, picture)
console.log(`Saved ${picture.length} bytes as ${path}`)

const { data: varied } = await client.images.createVariation({
  image: await toFile(picture, 'picture.png', { type: 'image/png' }),
  n: 2,
  size: '256x256',
  response_format: 'b64_json',
})
console.log(`Varied: ${varied.map(({ b64_json }) => Buffer.from(b64_json, 'base64').length > 0).length} pictures`)
