// The console on a machine that runs everything: containers, hooks and databases as a person steers them.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildTally, packModule } from '@atoll/cluster/testing/native-modules'
import { afterFile } from '@atoll/testkit/after-tests'
import { tempDir } from '@atoll/testkit/temp-dir'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { type EngineServer, lacking, startEngineServer } from '../engine/engine-server.ts'
import { runToEnd } from '../engine/run-to-end.ts'
import { findProgram } from '../programs/search.ts'
import { findingsOfThemes, seriousFindings, startBrowser } from './browser.ts'
import { Problems } from './testing/problems.ts'

const missing = lacking('chromium', 'redis-server')
const phone = { width: 390, height: 844 }
const desk = { width: 1280, height: 800 }
const evil = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
const token = 'token-of-senders-in-the-console'

const mapping = {
  ...{ id: 'builds', match: { path: 'builds' }, action: 'agent', name: 'Build of {{project}}', deliver: false },
  messageTemplate: 'The build of {{project}} ended with {{result}}. Say so.',
}

describe.skipIf(missing.length > 0)(`the console of a whole machine${missing.length ? ` (no ${missing})` : ''}`, () => {
  let server: EngineServer
  let page: Page
  let problems: Problems
  const docker = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runToEnd('docker', args, { env: server.env })
    if (code !== 0) throw new Error(stderr)
    return stdout.trim()
  }
  const looksWell = async (): Promise<void> => {
    expect({ url: page.url(), found: await findingsOfThemes(page) }).toMatchObject({ found: [] })
    await page.setViewportSize(phone)
    const wide = await page.evaluate('document.documentElement.scrollWidth')
    expect({ url: page.url(), wide }).toMatchObject({ wide: phone.width })
    await page.setViewportSize(desk)
    await keepPicture(page)
  }
  const openTab = (name: string) => page.locator('.tabs').getByRole('link', { name, exact: true }).click()

  beforeAll(async () => {
    const config = join(await tempDir(), 'atoll.json')
    writeFileSync(config, JSON.stringify({ hooks: { mappings: [mapping] } }))
    server = await startEngineServer({ ATOLL_HOOKS_TOKEN: token }, ['--all', '--config', config])
    afterFile(() => server.stop())
    const browser = await startBrowser({ executablePath: inside(server) })
    afterFile(() => browser.close())
    page = await (await browser.newContext({ viewport: desk })).newPage()
    page.setDefaultTimeout(60_000) // of a machine that does much else
    problems = new Problems(page)
    await docker('run', '-d', '--name', 'talker', '--label', `note=${evil}`, 'busybox', 'sh', '-c', talking)
    await page.goto(/http\S+\/console\/#login=\w+/.exec(server.log())?.[0] ?? '')
    await page.getByRole('link', { name: 'Containers', exact: true }).click()
  }, 180_000)

  it('shows a container with its log, figures and files, and runs nothing that it wrote', async () => {
    await page.getByRole('link', { name: 'talker' }).click()
    await page.getByRole('region', { name: 'Log' }).getByText('onerror').waitFor()
    await looksWell()
    await openTab('Figures')
    await page.getByRole('img', { name: /^Memory: .* now/ }).waitFor()
    await looksWell()
    await openTab('Files')
    await page.getByRole('button', { name: 'tmp/', exact: true }).click()
    await page.getByRole('cell', { name: '<img src=x onerror=alert(1)>', exact: true }).waitFor()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: /^Download <img/ }).click()
    const saved = await (await (await saving).createReadStream()).toArray()
    expect(Buffer.concat(saved).toString()).toBe('kept\n')
    await looksWell()
    await openTab('Settings')
    await page.getByText('note=<img').waitFor()
    await looksWell()
    expect(await page.locator('main img, main script').count()).toBe(0)
    expect(await page.title()).toBe('Containers · Atoll')
  }, 180_000)

  it('builds an image from a Dockerfile, says why a build fails, and runs a container of it', async () => {
    await page.goto(`${new URL(page.url()).origin}/console/containers?tab=build`)
    const file = page.getByRole('textbox', { name: 'Dockerfile' })
    await page.getByLabel('Tag of the image').fill('greeter:1')
    await file.fill('FROM busybox\nRUN exit 7\n')
    await page.getByRole('button', { name: 'Build', exact: true }).click()
    await page
      .getByRole('alert')
      .getByText(/non-zero code: 7/)
      .first()
      .waitFor()
    await file.fill(`FROM busybox\nRUN echo '${evil}'\nCMD ["sh", "-c", "echo greeted; sleep 1000"]\n`)
    await page.getByRole('button', { name: 'Build', exact: true }).click()
    await page.getByText('greeter:1 is built.').waitFor()
    await looksWell()
    await openTab('Containers')
    await page.getByRole('button', { name: 'Run a container' }).click()
    await page.getByRole('combobox', { name: 'Image' }).fill('greeter:1')
    await page.getByLabel('Name (optional)').fill('greeter')
    await page.getByLabel(/^Ports/).fill('80')
    await page.getByRole('button', { name: 'Run it' }).click()
    await page.getByText(/80 is no pair of ports/).waitFor()
    await page.getByLabel(/^Ports/).fill('8099:80')
    expect(await seriousFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Run it' }).click()
    await page.getByRole('region', { name: 'Log' }).getByText('greeted').waitFor()
    expect(await page.locator('main img, main script').count()).toBe(0)
    await docker('rm', '-f', 'greeter')
  }, 180_000)

  it('opens a terminal in it, which takes what is typed', async () => {
    await page.goto(`${new URL(page.url()).origin}/console/containers?container=talker&view=terminal`)
    await page.locator('.xterm-rows').getByText('#').first().waitFor()
    await page.keyboard.type('echo typed-$((40+2)) && printf "\\033[38;2;10;200;30mgreen\\033[0m\\n"\n')
    await page.locator('.xterm-rows').getByText('typed-42').waitFor()
    await page.locator('.xterm-rows span[style*=color]').first().waitFor()
    expect(await page.evaluate(greenOnScreen)).toBe('rgb(10, 200, 30)')
    await looksWell()
    await page.keyboard.press('Control+d')
  }, 180_000)

  it('keeps little of a log that never stops', async () => {
    await docker('run', '-d', '--name', 'flood', 'busybox', 'sh', '-c', 'yes "a line of a log that never stops"')
    await page.goto(`${new URL(page.url()).origin}/console/containers?container=flood`)
    await page.getByText(/[\d,]{6,} earlier lines are not shown/).waitFor()
    const lines = await page.locator('.log-lines').evaluate((frame) => frame.textContent?.split('\n').length)
    expect(lines).toBeLessThanOrEqual(2_001)
    await docker('rm', '-f', 'flood')
  }, 180_000)

  it('runs nothing that stands in the name of a container, should an engine ever let such a name in', async () => {
    await page.goto(`${new URL(page.url()).origin}/console/containers`)
    await page.getByRole('link', { name: 'talker' }).waitFor()
    await page.evaluate(renaming)
    await page.getByRole('link', { name: evil, exact: true }).waitFor()
    await page.getByRole('button', { name: `Remove ${evil}`, exact: true }).click()
    await page.getByRole('dialog', { name: `Remove ${evil}?` }).waitFor()
    expect(await page.locator(active).count()).toBe(0)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: evil, exact: true }).click()
    await page.getByRole('region', { name: 'Log' }).waitFor()
    await page.getByRole('heading', { name: evil }).waitFor()
    expect(await page.locator(active).count()).toBe(0)
    expect(await page.title()).toBe('Containers · Atoll')
  }, 180_000)

  it('stops and removes it, and shows images, networks, volumes, events, the disk and the swarm', async () => {
    await docker('volume', 'create', 'kept-volume')
    await page.goto(`${new URL(page.url()).origin}/console/containers`)
    await page.getByRole('button', { name: 'Stop talker' }).click()
    await page.getByRole('button', { name: 'Start talker', exact: true }).waitFor()
    await looksWell()
    await openTab('Disk')
    await page.getByRole('button', { name: 'Prune Containers' }).click()
    await page
      .getByRole('dialog')
      .getByText(/containers that do not run \(1\)\. That frees \d/)
      .waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await looksWell()
    const shown: [string, RegExp][] = [
      ['Images', /busybox:latest/],
      ['Networks', /bridge/],
      ['Volumes', /kept-volume/],
      ['Events', /talker/],
      ['Swarm', /in no swarm/],
    ]
    for (const [tab, text] of shown) {
      await openTab(tab)
      await page.locator('main').getByText(text).first().waitFor()
      await looksWell()
    }
    await page.goto(`${new URL(page.url()).origin}/console/containers`)
    await page.getByRole('button', { name: 'Remove talker' }).click()
    await page.getByRole('button', { name: 'Remove it' }).click()
    await page.getByText('There are no containers.').waitFor()
    expect(await docker('ps', '-aq')).toBe('')
  }, 180_000)

  it('tells the whole story of a hook, live, and does it again', async () => {
    await page.getByRole('link', { name: 'Hooks', exact: true }).click()
    await page.getByText('Live: the newest are at the top.').waitFor()
    await send(server, 'builds', { project: evil, result: 'success' })
    await page.getByRole('link', { name: /^builds: Build of <img/ }).click()
    await page.getByRole('heading', { name: 'What the model read' }).waitFor()
    await page.getByRole('region', { name: 'Prompt' }).getByText('ended with success').waitFor()
    await page.getByRole('region', { name: 'Reply' }).waitFor({ timeout: 180_000 }) // the model takes its time
    await looksWell()
    expect(await page.locator('main img, main script').count()).toBe(0)
    expect(await page.evaluate(wakeThroughConsole)).toBe(404)
    problems.expectRefusal(/^404 POST \/console\/services\/hooks\/hooks\/wake$/)
    const before = page.url()
    await page.getByRole('button', { name: 'Do it again' }).click()
    await page.getByRole('link', { name: 'an earlier one' }).waitFor()
    expect(page.url()).not.toBe(before)
    await pausesEverything(page, openTab)
    await page.getByRole('button', { name: 'Try builds' }).click()
    await page.getByLabel(/JSON/).fill('{"project": "mine", "result": "failure"}')
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByRole('region', { name: 'Preview' }).getByText('ended with failure').waitFor()
    await looksWellInDialog(page)
    for (const tab of ['Mappings', 'Dead letters', 'Channels', 'Deliveries']) {
      await openTab(tab)
      await looksWell()
    }
    await pagesToTheFirst(page)
  }, 300_000)

  it('makes a database, speaks to it, and upgrades its module while it shows how far it is', async () => {
    const folder = await tempDir()
    for (const major of [1, 2] as const) {
      writeFileSync(join(folder, `tally${major}.zip`), await packModule(await buildTally(major)))
    }
    await page.getByRole('link', { name: 'Databases', exact: true }).first().click()
    await openTab('Modules')
    for (const major of [1, 2]) {
      await page.getByLabel(/Upload a module/).setInputFiles(join(folder, `tally${major}.zip`))
      await page.getByRole('cell', { name: `${major}.0.0`, exact: true }).waitFor()
    }
    await looksWell()
    await page.locator('.tabs').getByText('Databases').click()
    await page.getByRole('button', { name: 'Make a database' }).click()
    await page.getByLabel('Name').fill('orders')
    await page.getByLabel('Module tally 1.0.0').check()
    await page.getByRole('button', { name: 'Make it' }).click()
    await page.getByRole('link', { name: 'orders' }).click()
    const say = async (command: string) => {
      await page.getByLabel('Command', { exact: true }).fill(command)
      await page.keyboard.press('Enter')
    }
    const answers = page.getByRole('region', { name: 'Answers' })
    await say(`SET greeting '${evil}'`)
    await answers.getByText('OK').waitFor()
    await say('LRANGE nothing 0 -1')
    await answers.getByText('(empty array)').waitFor()
    await say('CONFIG GET dir')
    await answers.getByText(/\(error\).*permission/).waitFor()
    problems.expectRefusal(/^400 POST \/console\/services\/cluster\/v1\/bdbs\/\d+\/command$/)
    expect(await page.locator('main img').count()).toBe(0)
    await page.getByRole('img', { name: /^Memory: .*[KM]B now/ }).waitFor()
    await looksWell()
    await page.getByRole('button', { name: 'Upgrade modules' }).click()
    await page.getByLabel('tally, now 1.0.0').selectOption('2.0.0')
    await page.getByRole('button', { name: 'Show what would be done' }).click()
    await page.getByText('Nothing was changed.').waitFor()
    await looksWellInDialog(page)
    await openDialogButton(page, 'Upgrade')
    await page.getByText(/The longest that clients had to wait: \d+ ms/).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('with tally 2.0.0').waitFor()
    await openTab('Actions')
    await page.getByText('completed').first().waitFor()
    await looksWell()
    problems.expectNone()
  }, 180_000)
})

/** Names with such letters are refused by the engine: the page is told of one all the same, in its answers. */
const renaming = `{
  const ask = globalThis.fetch
  globalThis.fetch = async (address, asked) => {
    const answer = await ask(address, asked)
    if (!/\\/engine\\/containers\\/(\\w+\\/)?json/.test(address)) return answer
    return new Response((await answer.text()).replaceAll('"/talker"', ${JSON.stringify(JSON.stringify(`/${evil}`))}), answer)
  }
}`

/** What would have been made of it, wherever in the page. */
const active = 'img, body script, [onerror]'

const greenOnScreen = 'getComputedStyle(document.querySelector(".xterm-rows span[style*=color]")).color'

/** Senders have their own door: the console's leads to what operators do, and to nothing else. */
const wakeThroughConsole = `fetch('/console/services/hooks/hooks/wake', {
  method: 'POST',
  headers: { 'x-atoll-console': '1', 'content-type': 'application/json' },
  body: '{"text": "Wake up."}',
}).then(({ status }) => status)`

const talking = `trap 'exit 0' TERM; echo kept > '/tmp/<img src=x onerror=alert(1)>'; while true; do echo '${evil}'; sleep 0.2; done`

/** A browser on the machine of the engine, whose addresses are its own. */
function inside({ host, folder }: EngineServer): string {
  const path = join(folder, 'chromium')
  writeFileSync(path, `#!/bin/sh\nexec nsenter --target ${host.pid} --net -- ${findProgram('chromium')} "$@"\n`)
  chmodSync(path, 0o755)
  return path
}

async function send({ host, log }: EngineServer, hook: string, payload: object): Promise<void> {
  const [, url = ''] = /^ {2}hooks +(http\S+)$/m.exec(log()) ?? []
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const asked = JSON.stringify({ method: 'POST', headers, body: JSON.stringify(payload) })
  const script = `const r = await fetch(${JSON.stringify(`${url}/hooks/${hook}`)}, ${asked}); console.log(r.status, await r.text())`
  const { stdout } = await host.run(process.execPath, ['--input-type=module', '-e', script])
  expect(stdout).toMatch(/^202 /)
}

async function looksWellInDialog(page: Page): Promise<void> {
  expect(await seriousFindings(page)).toEqual([])
  await keepPicture(page)
  if (await page.getByRole('button', { name: 'Try it' }).isVisible()) await page.keyboard.press('Escape')
}

/** While everything waits, no mapping has a button that would change nothing. */
async function pausesEverything(page: Page, openTab: (name: string) => Promise<void>): Promise<void> {
  await openTab('Deliveries')
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await page.getByText('Deliveries are taken, and wait').waitFor()
  await openTab('Mappings')
  await page.getByText('All deliveries wait').waitFor()
  expect(await page.getByRole('button', { name: /^(Pause|Go on with) builds$/ }).count()).toBe(0)
  await openTab('Deliveries')
  await page.getByRole('button', { name: 'Go on', exact: true }).click()
  await page.getByText('Deliveries are run as they come').waitFor()
  await openTab('Mappings')
  await page.getByRole('button', { name: 'Pause builds' }).click()
  await page.getByRole('button', { name: 'Go on with builds' }).click()
  await page.getByRole('button', { name: 'Pause builds' }).waitFor()
}

/** Deliveries are asked for one at a time here: there are only two. */
async function pagesToTheFirst(page: Page): Promise<void> {
  const asked = '**/hooks-admin/deliveries?*'
  await page.route(asked, (route) =>
    route.continue({
      url: route
        .request()
        .url()
        .replace(/limit=\d+/, 'limit=1'),
    }),
  )
  await page.reload()
  const rows = page.getByRole('region', { name: 'Deliveries' }).locator('tbody tr')
  const more = page.getByRole('button', { name: 'Show more' })
  await more.waitFor()
  expect(await rows.count()).toBe(1)
  await more.click()
  await rows.nth(1).waitFor()
  await more.waitFor({ state: 'detached' })
  expect(await rows.count()).toBe(2)
  await page.unroute(asked)
}

const openDialogButton = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click()

let pictures = 0

/** For whoever wants to look at them: ATOLL_TEST_PICTURES names a folder. */
async function keepPicture(page: Page): Promise<void> {
  const folder = process.env.ATOLL_TEST_PICTURES
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  pictures += 1
  for (const [size, viewport] of Object.entries({ desk, phone })) {
    await page.setViewportSize(viewport)
    for (const theme of ['dark', 'light']) {
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
      await page.screenshot({ path: join(folder, `${String(pictures).padStart(2, '0')}-${size}-${theme}.png`) })
    }
  }
  await page.setViewportSize(desk)
}
