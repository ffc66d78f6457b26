// Assistants in the console: files that are searched and cited, Python with its picture; speech and pictures.
import { expect, it } from 'vitest'
import { seriousFindings } from '../browser.ts'
import { flowLimitMs, type OpenedConsole } from './opened.ts'

export function assistantFlows(opened: () => OpenedConsole): void {
  it(
    'answers from files with a source that opens the passage, and shows the steps',
    async () => {
      const { page } = opened()
      await page.getByRole('link', { name: 'Assistants' }).click()
      await page.getByRole('button', { name: 'Make an assistant' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Desk')
      await page.getByLabel('Files it searches').selectOption({ label: 'Fees' })
      // Its likeliest answer, the same each time: others may come without a source.
      await page.route('**/v1/assistants', (route) => {
        const made = { ...route.request().postDataJSON(), temperature: 0 }
        return route.request().method() === 'POST'
          ? route.continue({ postData: JSON.stringify(made) })
          : route.continue()
      })
      await page.getByRole('button', { name: 'Make it' }).click()
      await page.getByLabel('Your message').fill('How much is the deposit?')
      await page.keyboard.press('Enter')
      await page.getByText('completed').first().waitFor()
      await page.unroute('**/v1/assistants')
      await page.getByRole('button', { name: 'Source 1' }).click()
      expect(await page.getByRole('dialog').locator('.passage').textContent()).toContain('twenty euros')
      expect(await seriousFindings(page)).toEqual([])
      await page.keyboard.press('Escape')
      expect(await page.locator('.timeline').textContent()).toMatch(/File search: \d+ passages/)
    },
    flowLimitMs,
  )

  it(
    'speaks a text, writes it down again, and draws',
    async () => {
      const { page } = opened()
      await page.getByRole('link', { name: 'Speech and pictures' }).click()
      await page.getByLabel('Text', { exact: true }).fill('The ferry leaves at seven.')
      // A page's own bytes cannot be read from outside: they are caught on their way.
      let buffer = Buffer.alloc(0)
      await page.route('**/v1/audio/speech', async (route) => {
        const response = await route.fetch()
        buffer = Buffer.from(await response.body())
        await route.fulfill({ response, body: buffer })
      })
      await page.getByRole('button', { name: 'Speak' }).click()
      await page.getByLabel('The spoken text').waitFor()
      await page.unroute('**/v1/audio/speech')
      const sound = { name: 'spoken.mp3', mimeType: 'audio/mpeg', buffer }
      await page.getByLabel('A sound file').setInputFiles(sound)
      await page.locator('.heard', { hasText: /seven/i }).waitFor()
      await page.getByLabel('What it shows').fill('three red apples')
      await page.getByRole('button', { name: 'Draw' }).click()
      await page.getByRole('img', { name: 'three red apples' }).waitFor()
      const width = await page
        .locator('img.picture')
        .evaluate((image: unknown) => (image as { naturalWidth: number }).naturalWidth)
      expect(width).toBe(512)
      expect(await seriousFindings(page)).toEqual([])
    },
    flowLimitMs,
  )
}
