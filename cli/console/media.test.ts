// Speech and pictures in the console: a browser whose microphone plays a file, on a real server with the built-in
// models.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defaultModels } from '@atoll/platform/inference/default-models'
import { afterFile } from '@atoll/testkit/after-tests'
import { lacking } from '@atoll/testkit/lacking'
import { tempDir } from '@atoll/testkit/temp-dir'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'
import { seriousFindings, startBrowser } from './browser.ts'
import { flowLimitMs } from './flows/opened.ts'
import { startDrawingModel } from './testing/drawing-model.ts'
import { Problems } from './testing/problems.ts'
import { wavWithPauses } from './testing/wav-with-pauses.ts'

const missing = lacking('chromium')
const sentence = 'Please tell me a story about the sea.'

describe.skipIf(missing !== '')(`speech and pictures in the console${missing && ` (skipped: no ${missing})`}`, () => {
  let page: Page
  let problems: Problems

  beforeAll(async () => {
    const folder = await tempDir()
    const model = await startDrawingModel()
    afterFile(() => model.close())
    const config = join(folder, 'atoll.json')
    const drawing = { kind: 'upstream', replicas: [model.url], model: 'drawing' }
    const models = [...defaultModels, { id: 'drawing', runtime: 'drawing', serves: ['chat'] }]
    await writeFile(config, JSON.stringify({ platform: { runtimes: { drawing }, models } }))
    const server = new ServerProcess({ args: ['--data', join(folder, 'data'), '--port', '0', '--config', config] })
    const url = await server.ready()
    const sound = join(folder, 'microphone.wav')
    await writeFile(sound, wavWithPauses(await spoken(url, /OPENAI_API_KEY=(\S+)/.exec(server.output)?.[1] ?? '')))
    const browser = await startBrowser({ microphone: sound })
    afterFile(() => browser.close())
    page = await (await browser.newContext({ permissions: ['microphone'] })).newPage()
    page.setDefaultTimeout(60_000) // of a machine that does much else
    problems = new Problems(page)
    await page.goto(/http\S+\/console\/#login=\w+/.exec(server.output)?.[0] ?? '')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  }, flowLimitMs)

  it(
    'writes down what the microphone hears',
    async () => {
      await page.getByRole('link', { name: 'Speech and pictures' }).click()
      await page.getByRole('button', { name: 'Record with the microphone' }).click()
      await page.waitForTimeout(periodMs) // so long the sentence takes: it is sound, which has its own time
      await page.getByRole('button', { name: 'Stop and write down' }).click()
      await page.locator('.heard').waitFor()
      expect(await page.locator('.heard').textContent()).toMatch(/story|sea/i)
      problems.expectNone()
    },
    flowLimitMs,
  )

  it(
    'holds a conversation by voice, and lets the person interrupt the answer',
    async () => {
      const frames: string[] = []
      page.on('websocket', (socket) => {
        socket.on('framereceived', ({ payload }) => void frames.push(String(payload)))
      })
      const told = (type: string) => frames.filter((frame) => frame.startsWith(`{"type":"${type}"`))
      const mute = page.getByRole('button', { name: 'Mute' })
      await page.getByRole('link', { name: 'Voice', exact: true }).click()
      await page.getByRole('button', { name: 'Begin to talk' }).click()
      await page
        .locator('.message.user')
        .getByText(/story|sea/i)
        .first()
        .waitFor()
      await mute.click()
      await page.getByText('The model is speaking.').waitFor()
      await expect.poll(() => page.locator('.message.assistant .as-typed').last().textContent()).toMatch(/\w+/)
      expect(await seriousFindings(page)).toEqual([])
      await mute.click()
      await page.getByText('interrupted').first().waitFor()
      const cut = JSON.parse(told('conversation.item.truncated')[0] ?? '{}')
      expect(cut.audio_end_ms).toBeGreaterThan(0)
      await page.getByRole('button', { name: 'Hang up' }).click()
      await page.getByRole('button', { name: 'Begin to talk' }).waitFor()
      expect(told('error')).toEqual([])
      problems.expectNone()
    },
    flowLimitMs,
  )

  it(
    'shows the code that an assistant ran, and the picture that it drew',
    async () => {
      await page.getByRole('link', { name: 'Assistants' }).click()
      await page.getByRole('button', { name: 'Make an assistant' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Painter')
      await page.getByRole('dialog').getByLabel('Model').selectOption('drawing')
      await page.getByLabel(/It runs Python/).check()
      await page.getByRole('button', { name: 'Make it' }).click()
      await page.getByLabel('Your message').fill('Draw a red square.')
      await page.keyboard.press('Enter')
      await page.getByText('Here is the square.').waitFor()
      const steps = page.getByRole('region', { name: 'Steps of the runs' })
      expect(await steps.locator('pre').first().textContent()).toContain('zlib.compress(rows)')
      await steps.getByText('drawn', { exact: true }).waitFor()
      const picture = steps.getByRole('img', { name: 'Drawn by the code' })
      await picture.waitFor()
      await expect.poll(() => picture.evaluate(widthOf)).toBe(24)
      expect(await seriousFindings(page)).toEqual([])
      problems.expectNone()
    },
    flowLimitMs,
  )
})

const widthOf = (image: unknown): number => (image as { naturalWidth: number }).naturalWidth

/** With its pauses. */
const periodMs = 6_000

async function spoken(url: string, key: string): Promise<Buffer> {
  const body = JSON.stringify({ model: 'tts-1', voice: 'alloy', input: sentence, response_format: 'pcm' })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/v1/audio/speech`, { method: 'POST', headers, body })
  expect(answer.status).toBe(200)
  return Buffer.from(await answer.arrayBuffer())
}
