// The organization in the console: projects, people, who may do what in a project, and the audit log's chain.
import { expect, it } from 'vitest'
import { seriousFindings } from '../browser.ts'
import { flowLimitMs, type OpenedConsole } from './opened.ts'

const jsonOfConsole = { 'x-atoll-console': '1', 'content-type': 'application/json' }

export function organizationFlows(opened: () => OpenedConsole): void {
  peopleFlows(opened)
  ruleFlows(opened)
}

function peopleFlows(opened: () => OpenedConsole): void {
  it(
    'makes a project, works in it, renames and archives it',
    async () => {
      const { page } = opened()
      await page.getByRole('link', { name: 'Projects' }).click()
      await page.getByRole('cell', { name: 'active' }).waitFor()
      // The first project stays as it is.
      expect(await page.getByRole('button', { name: /^(Rename|Archive) / }).count()).toBe(0)
      await page.getByRole('button', { name: 'Make a project' }).click()
      await page.getByLabel('Name', { exact: true }).fill('<b>Desk</b>')
      await page.getByRole('button', { name: 'Make it' }).click()
      await page.getByRole('button', { name: 'Work in <b>Desk</b>' }).click()
      await page.getByText('chosen').waitFor()
      await page.getByRole('button', { name: 'Rename <b>Desk</b>' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Desk')
      expect(await seriousFindings(page)).toEqual([])
      await page.getByRole('button', { name: 'Rename it' }).click()
      await page.locator('.project-choice').getByText('Desk').waitFor({ state: 'attached' })
      await page.getByRole('button', { name: 'Archive Desk' }).click()
      await page.getByRole('button', { name: 'Archive it' }).click()
      await page.getByRole('button', { name: 'Archive Desk' }).waitFor({ state: 'detached' })
      await page.getByLabel('Show archived').check()
      await page.getByRole('cell', { name: 'archived' }).waitFor()
      expect(await seriousFindings(page)).toEqual([])
    },
    flowLimitMs,
  )

  it(
    'invites somebody, who joins with what is shown once, and is given another role',
    async () => {
      const { page, url } = opened()
      await page.getByRole('link', { name: 'Members' }).click()
      await page.getByRole('button', { name: 'Invite somebody' }).click()
      await page.getByLabel('E-mail').fill('ada@example.com')
      await page.getByRole('button', { name: 'Invite them' }).click()
      const shown = (await page.getByRole('dialog').locator('pre').textContent()) ?? ''
      const body = /-d '(\{.*\})'/.exec(shown)?.[1] ?? ''
      const headers = { 'content-type': 'application/json' }
      expect((await fetch(`${url}/v1/invites/accept`, { method: 'POST', headers, body })).status).toBe(200)
      await page.keyboard.press('Escape')
      await page.reload()
      await page.getByRole('cell', { name: 'accepted' }).waitFor()
      const role = page.getByLabel('Role of Ada')
      await role.selectOption('reader')
      // It shows what the server has, once that was asked again.
      await expect.poll(() => role.inputValue(), { timeout: 60_000 }).toBe('reader')
      expect(await page.getByRole('button', { name: 'Remove Ada' }).count()).toBe(1)
      expect(await page.getByRole('button', { name: /^Remove / }).count()).toBe(1)
      expect(await seriousFindings(page)).toEqual([])
    },
    flowLimitMs,
  )
}

function ruleFlows(opened: () => OpenedConsole): void {
  it(
    'lowers a rate limit of a project, and tells what the server refuses',
    async () => {
      const { page, problems } = opened()
      await page.getByRole('link', { name: 'Access and limits' }).click()
      await page.getByRole('button', { name: 'Change the limits of atoll-chat', exact: true }).click()
      const requests = page.getByLabel('Requests a minute')
      await requests.fill('999999999')
      await page.getByRole('button', { name: 'Set them' }).click()
      await page
        .getByRole('alert')
        .getByText(/organization/)
        .waitFor()
      problems.expectRefusal(/^400 POST \/v1\/organization\/projects\/proj_\w+\/rate_limits\/[^/]+$/)
      await requests.fill('77')
      await page.getByRole('button', { name: 'Set them' }).click()
      await page.getByRole('cell', { name: '77', exact: true }).waitFor()
      expect(await seriousFindings(page)).toEqual([])
    },
    flowLimitMs,
  )

  it(
    'activates the audit log, and has its chain checked',
    async () => {
      const { page } = opened()
      await page.getByRole('link', { name: 'Audit log' }).click()
      await page.getByRole('button', { name: 'Activate it' }).click()
      await page.getByRole('button', { name: 'Activate', exact: true }).click()
      await page.getByRole('button', { name: 'Check the chain' }).click()
      await page.getByText('intact').waitFor()
      expect(await page.locator('.chain-check code').textContent()).toMatch(/^[0-9a-f]{64}$/)
      // Find asks anew, also when nothing else is looked for than before.
      const rows = page.locator('main tbody tr')
      const before = await rows.count()
      const made = await page.evaluate(
        (given) => fetch('/v1/organization/projects', given).then(({ status }) => status),
        { method: 'POST', headers: jsonOfConsole, body: '{"name": "Found again"}' },
      )
      expect(made).toBe(200)
      await page.getByRole('button', { name: 'Find', exact: true }).click()
      await rows.nth(before).waitFor()
    },
    flowLimitMs,
  )
}
