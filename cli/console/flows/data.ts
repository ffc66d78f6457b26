// Data in the console: batches, stored completions, trainings, and large files that go on after a failure.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { seriousFindings } from '../browser.ts'
import { flowLimitMs, type OpenedConsole } from './opened.ts'

/** A training to its end takes a while. */
const isLong = process.env.ATOLL_TEST_LONG === '1'

async function uploadText(page: Page, purpose: string, name: string, lines: object[]): Promise<void> {
  await page.getByRole('link', { name: 'Files' }).click()
  await page.getByLabel('Purpose of new files').selectOption(purpose)
  const buffer = Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'))
  await page.getByLabel('Files to upload').setInputFiles({ name, mimeType: 'application/jsonl', buffer })
  await page.getByRole('cell', { name, exact: true }).waitFor()
}

const asked = (content: string, more: object = {}) => ({
  model: 'atoll-chat',
  messages: [{ role: 'user', content }],
  max_tokens: 8,
  ...more,
})

const request = (id: string, body: object) => ({ custom_id: id, method: 'POST', url: '/v1/chat/completions', body })

/** As the first option that names the file. */
async function chooseFile(page: Page, label: string, name: string): Promise<void> {
  const option = page.getByLabel(label).locator('option', { hasText: name })
  await page.getByLabel(label).selectOption((await option.getAttribute('value')) ?? '')
}

export function dataFlows(opened: () => OpenedConsole): void {
  answerFlows(opened)
  fileFlows(opened)
  longListFlows(opened)
}

function answerFlows(opened: () => OpenedConsole): void {
  it(
    'makes a batch of a file, follows it to its end, and saves the results',
    async () => {
      const { page } = opened()
      await uploadText(page, 'batch', 'requests.jsonl', [request('a', asked('Hello.')), request('b', asked('Bye.'))])
      await page.getByRole('link', { name: 'Batches' }).click()
      await page.getByText('There are no batches yet').waitFor()
      await page.getByRole('button', { name: 'Make a batch' }).click()
      await chooseFile(page, 'File of requests', 'requests.jsonl')
      await page.getByRole('button', { name: 'Make it' }).click()
      await page.getByText('2 of 2').waitFor()
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: /^Save the results of batch_/ }).click(),
      ])
      expect(saved.suggestedFilename()).toMatch(/^batch_\w+-results\.jsonl$/)
      expect(await seriousFindings(page)).toEqual([])
    },
    flowLimitMs,
  )

  it(
    'shows completions that were stored, as they were written, and forgets them',
    async () => {
      const { page } = opened()
      const body = JSON.stringify(asked('Say <b>hello</b>.', { store: true }))
      const project = await page.locator('.project-choice select').inputValue()
      const headers = { 'x-atoll-console': '1', 'x-atoll-project': project, 'content-type': 'application/json' }
      await page.evaluate(
        (given) => fetch('/v1/chat/completions', { method: 'POST', ...given }).then((response) => response.json()),
        { headers, body },
      )
      await page.getByRole('link', { name: 'Stored completions' }).click()
      await page.getByRole('button', { name: /^Open chatcmpl/ }).click()
      await page.getByRole('dialog').getByText('Say <b>hello</b>.').waitFor()
      expect(await seriousFindings(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: /^Delete chatcmpl/ }).click()
      await page.getByRole('button', { name: 'Delete it' }).click()
      await page.getByText('Nothing is stored yet').waitFor()
    },
    flowLimitMs,
  )
}

function fileFlows(opened: () => OpenedConsole): void {
  it(
    'sends a large file in parts, and goes on after the last one that arrived',
    async () => {
      const { page, problems } = opened()
      const file = join(await tempDir(), 'large.txt')
      await writeFile(file, Buffer.alloc(33 * 1024 ** 2, 'Guests pay six euros. '))
      await page.getByRole('link', { name: 'Files' }).click()
      let parts = 0
      await page.route('**/v1/uploads/*/parts', (route) => {
        parts += 1
        const refusal = { status: 400, json: { error: { message: 'Not now, please.', code: null } } }
        return parts === 2 ? route.fulfill(refusal) : route.continue()
      })
      await page.getByLabel('Files to upload').setInputFiles(file)
      await page.getByText('Not now, please.').waitFor()
      problems.expectRefusal(/^400 POST \/v1\/uploads\/upload_\w+\/parts$/)
      await page.getByRole('button', { name: 'Go on' }).click()
      await page.getByRole('cell', { name: 'large.txt', exact: true }).waitFor()
      await page.unroute('**/v1/uploads/*/parts')
      expect(parts).toBe(4)
    },
    flowLimitMs,
  )

  it(
    'trains a model and draws its losses while it learns; the long form waits for the model and tries it',
    async () => {
      const { page } = opened()
      const lines = Array.from({ length: 10 }, (_, index) => ({
        messages: [
          { role: 'user', content: `Number ${index}?` },
          { role: 'assistant', content: 'Ahoy.' },
        ],
      }))
      await uploadText(page, 'fine-tune', 'examples.jsonl', lines)
      await page.getByRole('link', { name: 'Fine-tuning' }).click()
      await page.getByRole('button', { name: 'Train a model' }).click()
      await chooseFile(page, 'Examples to learn from', 'examples.jsonl')
      await page.getByLabel('Rounds (optional)').fill('20')
      await page.getByRole('button', { name: 'Begin' }).click()
      await page.getByRole('img', { name: /^Losses of \d+ steps/ }).waitFor({ timeout: flowLimitMs })
      expect(await seriousFindings(page)).toEqual([])
      if (!isLong) return page.getByRole('button', { name: 'Cancel the training' }).click()
      const model = page.getByRole('link', { name: /^Try it: ft:/ }).first()
      await model.waitFor()
      expect(await seriousFindings(page)).toEqual([])
      await model.click()
      await page.getByRole('heading', { name: 'Playground' }).waitFor()
      expect(await page.locator('.pane-model select').inputValue()).toMatch(/^ft:/)
    },
    flowLimitMs,
  )
}

const listed = '**/v1/files?*'

function longListFlows(opened: () => OpenedConsole): void {
  it(
    'shows a long list page by page, of which only what is near the window costs the browser anything',
    async () => {
      const { page } = opened()
      await page.getByRole('link', { name: 'Home', exact: true }).click()
      await page.route(listed, (route) => {
        const after = new URL(route.request().url()).searchParams.get('after')
        return route.fulfill({ json: pageOfFiles(Number(after?.replace('file-', '') ?? 0)) })
      })
      await page.getByRole('link', { name: 'Files', exact: true }).click()
      const row = (number: number) => page.getByRole('cell', { name: `Note ${number}`, exact: true })
      for (let rows = 50; rows < 500; rows += 50) {
        await row(rows).waitFor()
        await page.getByRole('button', { name: 'Show more' }).click()
      }
      await row(500).waitFor()
      await expect.poll(() => page.locator('main tbody tr').count(), { timeout: 60_000 }).toBeLessThan(250)
      const height = () => page.evaluate('document.documentElement.scrollHeight')
      expect(await height()).toBeGreaterThan(500 * 20)
      await page.evaluate('scrollTo(0, 0)')
      await row(1).waitFor()
      await row(500).waitFor({ state: 'detached' })
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      await row(500).waitFor()
      await page.unroute(listed)
    },
    flowLimitMs,
  )
}

/** Fifty of a list without an end. */
function pageOfFiles(after: number) {
  const data = Array.from({ length: 50 }, (_, index) => ({
    ...{ id: `file-${after + index + 1}`, object: 'file', filename: `Note ${after + index + 1}`, bytes: 21 },
    ...{ purpose: 'assistants', created_at: 1_790_000_000, status: 'processed' },
  }))
  return { object: 'list', data, first_id: data.at(0)?.id, last_id: data.at(-1)?.id, has_more: true }
}
