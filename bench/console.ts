// The console in Chromium: first paint, an answer frame by frame, a long list, a log of ten thousand lines a second,
// memory.
// needs: root, chromium, crun, ip, nft, cc, docker, busybox
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { findProgram } from '@atoll/kernel/programs/find-program'
import { type Browser, chromium, type Page } from 'playwright-core'
import { type AtollServer, residentBytes, spawnServer } from './atoll-server.ts'
import { followedLines } from './console/log-lines.ts'
import { pagesThrough } from './console/long-list.ts'
import { mainThreadTasks } from './console/main-thread.ts'
import { answerTokens, startWritingModel } from './console/writing-model.ts'
import { median } from './measure.ts'
import { writeUpstreamConfig } from './upstream-config.ts'

const rounds = 5
const goals = {
  ...{ paintMs: 700, frameMs: 50, linesPerSecond: 10_000, pageMegabytes: 200, serverMegabytes: 10 },
  pagingRatio: 1.5,
}
const mega = 1e6
const settleMs = 3_000
const firstPaint = `performance.getEntriesByName('first-contentful-paint')[0].startTime`

export async function bench(): Promise<void> {
  const model = await startWritingModel()
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-'))
  const atoll = await spawnServer(['--config', await writeUpstreamConfig(folder, model.url)])
  const browser = await launch(findProgram('chromium') ?? '')
  try {
    const before = residentBytes(atoll.process)
    await opened(browser, atoll) // builds the page where a source is newer
    await paints(browser, atoll)
    await setTimeout(settleMs)
    const grown = (residentBytes(atoll.process) - before) / mega
    console.log(
      `  the server's memory grew by ${grown.toFixed(0)} MB after ${rounds + 1} log-ins and ${2 * rounds + 1} openings (goal ${goals.serverMegabytes})`,
    )
    await streams(browser, atoll)
    await pages(browser, atoll)
  } finally {
    await browser.close()
    await atoll.close()
    model.close()
    await rm(folder, { recursive: true, force: true })
  }
  await follows()
}

const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--enable-precise-memory-info']
const launch = (executablePath: string): Promise<Browser> => chromium.launch({ executablePath, args })

async function follows(): Promise<void> {
  if (process.getuid?.() !== 0) return console.log('  Containers need root: no log was followed.')
  const { perSecond, heapMegabytes, processMegabytes } = await followedLines(launch, opened)
  const [heap, own] = [heapMegabytes.toFixed(0), processMegabytes.toFixed(0)]
  console.log(
    `  ${perSecond.toFixed(0)} log lines a second followed (goal ${goals.linesPerSecond}): the page's scripts held ${heap} MB at most, its process ${own} MB (goal ${goals.pageMegabytes})`,
  )
}

/** In a context of its own: no cache, no session. */
async function opened(browser: Browser, { url, adminKey }: Pick<AtollServer, 'url' | 'adminKey'>): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
  await page.goto(`${url}/console/`)
  await page.getByLabel('Admin key').fill(adminKey)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  return page
}

/** Logged in, with an empty cache: what somebody sees who opens the console in the morning. */
async function paints(browser: Browser, atoll: AtollServer): Promise<void> {
  const paintMs: number[] = []
  const homeMs: number[] = []
  for (let round = 0; round < rounds; round++) {
    const page = await opened(browser, atoll)
    const session = await page.context().newCDPSession(page)
    await session.send('Network.clearBrowserCache')
    await page.reload()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    homeMs.push(await page.evaluate<number>('performance.now()'))
    paintMs.push(await page.evaluate<number>(firstPaint))
    await page.context().close()
  }
  const shown = paintMs.map((ms) => ms.toFixed(0)).join(', ')
  console.log(`  load average ${loadavg()[0]?.toFixed(1)}`)
  console.log(`  first paint ${shown} ms; median ${median(paintMs).toFixed(0)} ms (goal ${goals.paintMs})`)
  console.log(`  home with its figures after ${median(homeMs).toFixed(0)} ms`)
}

async function streams(browser: Browser, atoll: AtollServer): Promise<void> {
  const page = await opened(browser, atoll)
  await page.getByRole('link', { name: 'Playground', exact: true }).click()
  await page.locator('.pane-model select').selectOption('stub')
  await page.getByLabel('Your message').fill('Write.')
  await page.evaluate(watchFrames)
  const tasks = await mainThreadTasks(browser, page, async () => {
    await page.keyboard.press('Enter')
    await page.getByText(new RegExp(`${answerTokens} tokens`)).waitFor({ timeout: 120_000 })
  })
  const frames = await page.evaluate<number[]>('seen')
  const bytes = await page.evaluate<number>('performance.memory.usedJSHeapSize')
  const long = frames.filter((ms) => ms > goals.frameMs)
  const most = Math.max(...frames).toFixed(0)
  console.log(
    `  ${answerTokens} tokens in ${frames.length} frames: the longest ${most} ms, ${long.length} over ${goals.frameMs} ms (goal none)`,
  )
  const longTasks = tasks.filter(({ cpuMs }) => cpuMs > goals.frameMs).length
  const waited = tasks.filter(({ clockMs }) => clockMs > goals.frameMs).length
  const longest = Math.max(...tasks.map(({ cpuMs }) => cpuMs)).toFixed(1)
  const perFrame = (tasks.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / frames.length).toFixed(1)
  console.log(
    `  its main thread, in processor time: ${perFrame} ms a frame, the longest task ${longest} ms, ${longTasks} over ${goals.frameMs} ms (goal none); ${waited} by the clock`,
  )
  console.log(`  the page's memory then: ${(bytes / mega).toFixed(0)} MB (goal ${goals.pageMegabytes})`)
}

async function pages(browser: Browser, atoll: AtollServer): Promise<void> {
  const { rows, firstMs, lastMs } = await pagesThrough(browser, await opened(browser, atoll), atoll)
  console.log(
    `  "Show more" of a list, in processor time: ${firstMs.toFixed(0)} ms at first, ${lastMs.toFixed(0)} ms at ${rows} rows; ratio ${(lastMs / firstMs).toFixed(2)} (goal at most ${goals.pagingRatio})`,
  )
}

/** From the key that sends the message on, how long each frame took. A text: it runs in the browser. */
const watchFrames = `
  globalThis.seen = []
  addEventListener('keydown', () => {
    let last = performance.now()
    const next = (now) => {
      seen.push(now - last)
      last = now
      requestAnimationFrame(next)
    }
    requestAnimationFrame(next)
  }, { once: true })`
