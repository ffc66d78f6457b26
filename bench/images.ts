// Pictures of 1024 x 1024 by the built-in illustrator: 40 prompts through the API, beside the illustrator by itself.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRuntimes, type Runtimes } from '@atoll/models/runtimes'
import { silentLog } from '@atoll/testkit/silent-log'
import { type AtollServer, spawnServer } from './atoll-server.ts'
import { imagePrompts } from './image-prompts.ts'
import { median } from './measure.ts'

const rounds = 3
const goalMs = 400

interface Answer {
  data: { b64_json: string; revised_prompt: string }[]
}

/** With `BENCH_PICTURES`, a folder, the pictures are kept there to be looked at. */
export async function bench(): Promise<void> {
  const folder = process.env.BENCH_PICTURES
  if (folder !== undefined) await mkdir(folder, { recursive: true })
  const atoll = await spawnServer()
  const runtimes = createRuntimes({}, { log: silentLog, modelsFolder: '/nonexistent', chatModel: undefined })
  try {
    await draw(atoll, 'a red ball', 'vivid')
    await bareMs(runtimes, 'a red ball', 'vivid')
    for (const style of ['vivid', 'natural'] as const) {
      const medians: number[] = []
      const bare: number[] = []
      for (let round = 0; round < rounds; round++) {
        medians.push(median(await drawAll(atoll, style, round === 0 ? folder : undefined)))
        const alone: number[] = []
        for (const prompt of imagePrompts) alone.push(await bareMs(runtimes, prompt, style))
        bare.push(median(alone))
      }
      const shown = medians.map((ms) => ms.toFixed(0)).join(', ')
      console.log(
        `  ${style}: ${imagePrompts.length} prompts, p50 of each round ${shown} ms; median ${median(medians).toFixed(0)} ms (goal ${goalMs})`,
      )
      console.log(
        `    the illustrator by itself ${median(bare).toFixed(0)} ms: the API takes ${(median(medians) / median(bare)).toFixed(2)} times that`,
      )
    }
  } finally {
    await atoll.close()
    await runtimes.close()
  }
}

/** Without HTTP, moderation, metering and base64 around it. */
async function bareMs(runtimes: Runtimes, prompt: string, style: 'vivid' | 'natural'): Promise<number> {
  const drawing = (await runtimes.get('builtin-illustrator'))?.drawing
  const size = { width: 1024, height: 1024 }
  const call = { signal: new AbortController().signal, turn: 'bench' }
  const startedAt = performance.now()
  await drawing?.draw({ kind: 'generate', prompt, size, count: 1, quality: 'standard', style }, call)
  return performance.now() - startedAt
}

async function drawAll(atoll: AtollServer, style: string, folder: string | undefined): Promise<number[]> {
  const times: number[] = []
  for (const [at, prompt] of imagePrompts.entries()) {
    const startedAt = performance.now()
    const { b64_json, revised_prompt } = await draw(atoll, prompt, style)
    times.push(performance.now() - startedAt)
    if (folder === undefined) continue
    await writeFile(join(folder, `${style}-${String(at + 1).padStart(2, '0')}.png`), Buffer.from(b64_json, 'base64'))
    console.log(`  ${at + 1}. ${prompt} → ${revised_prompt}`)
  }
  return times
}

async function draw({ url, apiKey }: AtollServer, prompt: string, style: string): Promise<Answer['data'][number]> {
  const response = await fetch(`${url}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'dall-e-3', prompt, style, response_format: 'b64_json' }),
  })
  if (!response.ok) throw new Error(`A picture was refused: ${await response.text()}`)
  const [picture] = ((await response.json()) as Answer).data
  if (picture === undefined) throw new Error('An answer without a picture.')
  return picture
}
