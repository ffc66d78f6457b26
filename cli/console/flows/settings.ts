// Settings, the doctor, and the search that finds everything.
import { expect, it } from 'vitest'
import { seriousFindings } from '../browser.ts'
import { flowLimitMs, type OpenedConsole } from './opened.ts'

export function settingsFlows(opened: () => OpenedConsole): void {
  it(
    'shows the configuration with its sources, and what the machine has',
    async () => {
      const { page } = opened()
      await page.getByRole('link', { name: 'Settings and help' }).click()
      await page.getByLabel('Only what is not a default').check()
      const data = page.getByRole('row', { name: /^data / })
      expect(await data.textContent()).toContain('--data')
      await page.getByRole('button', { name: 'Look at the machine' }).click()
      await page.getByRole('cell', { name: 'Node', exact: true }).waitFor()
      expect(await seriousFindings(page)).toEqual([])
    },
    flowLimitMs,
  )

  it(
    'finds pages, objects, guides and operations from the keyboard',
    async () => {
      const { page } = opened()
      await page.keyboard.press('Control+k')
      const field = page.getByRole('combobox', { name: 'Find pages, objects and docs' })
      await field.fill('fees vector')
      await page.getByRole('option', { name: /^Fees · vs_/ }).waitFor()
      expect(await seriousFindings(page)).toEqual([])
      await field.fill('post chat completion')
      await page
        .getByRole('option', { name: /POST \/v1\/chat\/completions/ })
        .first()
        .waitFor()
      await field.fill('guide swarm machines')
      await page.getByRole('option', { name: /^Swarms: Four machines/ }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Guides' }).waitFor()
      expect(page.url()).toMatch(/guide=swarm$/)
      await page.keyboard.press('Control+k')
      await field.fill('audit')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    },
    flowLimitMs,
  )
}
