// The console as a person uses it: a real browser on a real server.
import { join } from 'node:path'
import { afterFile } from '@atoll/testkit/after-tests'
import { lacking } from '@atoll/testkit/lacking'
import { tempDir } from '@atoll/testkit/temp-dir'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'
import { runAtoll } from '../run-atoll.ts'
import { allPages, findingsOfThemes, seriousFindings, startBrowser } from './browser.ts'
import { assistantFlows } from './flows/assistants.ts'
import { dataFlows } from './flows/data.ts'
import { memberFlows } from './flows/members.ts'
import { modelFlows } from './flows/models.ts'
import { organizationFlows } from './flows/organization.ts'
import { settingsFlows } from './flows/settings.ts'
import { Problems } from './testing/problems.ts'

const missing = lacking('chromium')
const on = ['--data', join(await tempDir(), 'data')]
const phone = { width: 390, height: 844 }
const desk = { width: 1280, height: 800 }

describe.skipIf(missing !== '')(`the console in a browser${missing && ` (skipped: no ${missing})`}`, () => {
  let page: Page
  let problems: Problems
  let url: string
  let firstLink: string

  beforeAll(async () => {
    const server = new ServerProcess({ args: [...on, '--port', '0'] })
    const browser = await startBrowser()
    afterFile(() => browser.close())
    url = await server.ready()
    firstLink = /http\S+\/console\/#login=\w+/.exec(server.output)?.[0] ?? ''
    page = await (await browser.newContext({ viewport: desk, permissions: ['clipboard-write'] })).newPage()
    page.setDefaultTimeout(60_000) // of a machine that does much else
    problems = new Problems(page)
  }, 180_000)

  it('is entered by the link of the first start, which is good once; ./atoll console prints another', async () => {
    await page.goto(firstLink)
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    expect(page.url()).toBe(`${url}/console/`)
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Admin key').waitFor()
    await page.goto('about:blank')
    await page.goto(firstLink)
    await page.getByText('This link was used already').waitFor()
    problems.expectRefusal(/^401 POST \/v1\/console\/login$/)
    expect(await seriousFindings(page)).toEqual([])
    const { out, err } = await runAtoll(['console', ...on])
    expect(err).toContain('within 15 minutes')
    await page.goto('about:blank')
    await page.goto(out.trim())
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  }, 180_000)

  it('chats with the built-in model, and shows the same as a program', async () => {
    await page.getByRole('link', { name: 'Playground', exact: true }).click()
    await page.getByLabel('Your message').fill('Hello, how are you?')
    await page.keyboard.press('Enter')
    const answer = page.locator('.message.assistant')
    await answer.getByText(/\d+ \+ \d+ tokens/).waitFor()
    expect(await answer.locator('.markdown').textContent()).toMatch(/\w+/)
    await page.getByRole('button', { name: 'Copy as code' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.locator('pre').textContent()).toContain('Hello, how are you?')
    await dialog.getByText('curl').click()
    expect(await dialog.locator('pre').textContent()).toMatch(/^curl http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions/)
    expect(await seriousFindings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
  }, 180_000)

  it('tells at home what runs, how to start the rest, and how the last hour went', async () => {
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    const services = page.locator('.card', { hasText: 'What runs' })
    await services.getByText('answers models, files and assistants').waitFor()
    await services.getByText('./atoll up --with engine,hooks,cluster').waitFor()
    await page.getByRole('img', { name: /^Latency: [\d.]+ m?s for half/ }).waitFor()
    await page.getByRole('img', { name: /^\d+ requests in the last hour, 0 refused and 0 failed/ }).waitFor()
    expect(await page.locator('.figures').textContent()).toMatch(/Disk[\d.]+ [GT]B/)
    expect(await seriousFindings(page)).toEqual([])
    await page.getByRole('link', { name: 'Playground', exact: true }).click()
  }, 180_000)

  it('runs nothing that a model writes', async () => {
    const evil = [
      '<img src=x onerror="document.title=1"><script>document.title=1</script>',
      '[click](javascript:document.title=1) ![p](data:text/html,x) <a href="javascript:document.title=1">y</a>',
      '```html\n</code><svg onload="document.title=1">\n```\n\n| <b>x</b> |\n|-|\n| <iframe src=javascript:1> |',
    ].join('\n\n')
    const body = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: evil } }] })}\n\ndata: [DONE]\n\n`
    await page.route('**/v1/chat/completions', (route) => route.fulfill({ contentType: 'text/event-stream', body }))
    await page.getByLabel('Your message').fill('Now write <b>HTML</b>.')
    await page.getByRole('button', { name: 'Send' }).click()
    const answer = page.locator('.message.assistant').last()
    await answer.getByText('<img src=x').waitFor()
    const hidden = 'img, script, svg:not(.icon), iframe, b, a[href^="javascript"], a[href^="data"], [onerror], [onload]'
    expect(await page.locator('.turns').locator(hidden).count()).toBe(0)
    expect(await page.title()).toBe('Playground · Atoll')
    await page.unroute('**/v1/chat/completions')
  }, 180_000)

  it('makes a key that programs can use, and shows it once', async () => {
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByRole('button', { name: 'Make a key' }).click()
    await page.getByLabel('What it is for').fill('<i>reports</i>')
    await page.getByRole('button', { name: 'Make it' }).click()
    const shown = await page.getByRole('dialog').locator('pre').textContent()
    const [, key = ''] = /OPENAI_API_KEY=(\S+)/.exec(shown ?? '') ?? []
    const models = () => fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
    expect((await models()).status).toBe(200)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'End <i>reports</i>' }).click()
    expect(await page.content()).not.toContain(key)
    await page.getByRole('button', { name: 'End it' }).click()
    await page.getByRole('button', { name: 'End <i>reports</i>' }).waitFor({ state: 'detached' })
    expect((await models()).status).toBe(401)
  }, 180_000)

  it('takes files, whatever their names, and finds what is in them', async () => {
    const name = 'fees <img src=x onerror=alert(1)>.txt'
    const buffer = Buffer.from('Guests pay six euros an evening. The deposit is twenty euros.')
    await page.getByRole('link', { name: 'Files' }).click()
    await page.getByLabel('Files to upload').setInputFiles({ name, mimeType: 'text/plain', buffer })
    await page.getByRole('cell', { name, exact: true }).waitFor()
    await page.getByRole('link', { name: 'Vector stores' }).click()
    await page.getByRole('button', { name: 'Make a store' }).click()
    await page.getByLabel('Name').fill('Fees')
    await page.getByRole('dialog').getByLabel(name).check()
    await page.getByRole('button', { name: 'Make it' }).click()
    await page.getByText('1 read').waitFor()
    await page.getByRole('button', { name: 'Search Fees' }).click()
    await page.getByLabel('What to look for').fill('How much is the deposit?')
    await page.keyboard.press('Enter')
    const found = page.locator('.results li').first()
    expect(await found.textContent()).toMatch(/score 0\.\d+[\s\S]*twenty euros/)
    expect(await page.locator('main img').count()).toBe(0)
    expect(await seriousFindings(page)).toEqual([])
  }, 180_000)

  assistantFlows(() => ({ page, url, problems }))
  dataFlows(() => ({ page, url, problems }))
  modelFlows(() => ({ page, url, problems }))
  organizationFlows(() => ({ page, url, problems }))
  memberFlows(() => ({ page, url, problems }))
  settingsFlows(() => ({ page, url, problems }))

  it('has pages without serious findings of axe, none wider than a phone, all reached by the keyboard', async () => {
    await page.goto(`${url}/console/`)
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').textContent()).toBe('Skip to the page')
    for (const { name } of await allPages(page)) {
      await page.setViewportSize(desk)
      // By the link, not by the address: the checker stays in the document.
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
      expect({ name, found: await findingsOfThemes(page) }).toEqual({ name, found: [] })
      await page.setViewportSize(phone)
      const wide = await page.evaluate('document.documentElement.scrollWidth')
      expect({ name, wide }).toEqual({ name, wide: phone.width })
    }
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.setViewportSize(desk)
    problems.expectNone()
  }, 180_000)
})
