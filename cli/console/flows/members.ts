// Somebody who owns nothing: the console offers what their key may do, and nothing that would be refused.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { allPages, seriousFindings } from '../browser.ts'
import { Problems } from '../testing/problems.ts'
import { flowLimitMs, type OpenedConsole } from './opened.ts'

export function memberFlows(opened: () => OpenedConsole): void {
  it(
    'shows a member, who comes with their own key, no page and no button that would be refused',
    async () => {
      const { page: ownersPage, url } = opened()
      const key = await keyOfNewMember(ownersPage, url)
      const context = await ownersPage.context().browser()?.newContext()
      const page = await context?.newPage()
      if (page === undefined) throw new Error('There is no browser.')
      const problems = new Problems(page)
      await page.goto(`${url}/console/`)
      await page.getByLabel(/key of a project/).fill(key)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Home' }).waitFor()
      problems.expectRefusal(/^401 GET \/v1\/console\/session$/)
      const shown = await allPages(page)
      expect(shown.map(({ name }) => name)).not.toContain('Audit log')
      expect(shown.map(({ name }) => name)).toContain('Playground')
      for (const { name } of shown) {
        await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click()
        await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
        await page.waitForLoadState('networkidle')
        expect({ name, alerts: await page.getByRole('alert').allTextContents() }).toEqual({ name, alerts: [] })
      }
      await page.getByRole('link', { name: 'Models', exact: true }).click()
      await page.getByRole('button', { name: 'Speed test of atoll-chat', exact: true }).waitFor()
      expect(await page.getByRole('button', { name: /^(Load|Unload|Pull) / }).count()).toBe(0)
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Find pages, objects and docs' }).fill('audit log page')
      await page.getByText('Nothing is called so.').waitFor()
      expect(await seriousFindings(page)).toEqual([])
      await page.goto(`${url}/console/audit-log`)
      await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
      problems.expectNone()
      await context?.close()
    },
    flowLimitMs,
  )
}

/** Invited by the owner, joined with a key of their own. */
async function keyOfNewMember(page: Page, url: string): Promise<string> {
  const token = await page.evaluate(async () => {
    const headers = { 'x-atoll-console': '1', 'content-type': 'application/json' }
    const body = JSON.stringify({ email: 'bo@example.com', role: 'reader' })
    const response = await fetch('/v1/organization/invites', { method: 'POST', headers, body })
    return ((await response.json()) as { accept_token: string }).accept_token
  })
  const body = JSON.stringify({ token, name: 'Bo', with_key: true })
  const headers = { 'content-type': 'application/json' }
  const joined = await (await fetch(`${url}/v1/invites/accept`, { method: 'POST', headers, body })).json()
  const [key] = /sk-[\w-]+/.exec(JSON.stringify(joined)) ?? []
  if (key === undefined) throw new Error('No key came with the place in the organization.')
  return key
}
