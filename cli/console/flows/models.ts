// Models in the console: what answers which id, loaded and unloaded by hand, and how fast it is.
import { expect, it } from 'vitest'
import { seriousFindings } from '../browser.ts'
import { flowLimitMs, type OpenedConsole } from './opened.ts'

export function modelFlows(opened: () => OpenedConsole): void {
  it(
    'shows what answers which id, tests its speed, unloads and loads it',
    async () => {
      const { page } = opened()
      await page.getByRole('link', { name: 'Models', exact: true }).click()
      await page.getByLabel('Find a model').fill('atoll-chat')
      const row = page.getByRole('row', { name: /^atoll-chat / })
      expect(await row.textContent()).toContain('builtin-atoll-chat')
      await page.getByRole('button', { name: 'Speed test of atoll-chat', exact: true }).click()
      await page.getByRole('button', { name: 'Start' }).click()
      await page.getByRole('button', { name: 'Once more' }).waitFor()
      expect(await page.locator('.speed-test .figures').textContent()).toMatch(
        /First token\d+ msTokens a second\d+\.\dTokens\d+ \+ \d+/,
      )
      expect(await seriousFindings(page)).toEqual([])
      await page.getByRole('button', { name: 'Unload builtin-atoll-chat', exact: true }).click()
      await page.getByRole('button', { name: 'Load builtin-atoll-chat', exact: true }).click()
      await page.getByRole('button', { name: 'Unload builtin-atoll-chat', exact: true }).waitFor()
    },
    flowLimitMs,
  )
}
