// A container that writes ten thousand lines a second, followed in the console: how many lines came through, and what
// the page holds of them.
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type IsolatedHost, isolatedHost } from '@atoll/engine/testing/isolated'
import { findProgram } from '@atoll/kernel/programs/find-program'
import type { Browser, Page } from 'playwright-core'
import { makeBusybox } from '../engine/images.ts'

const launcher = fileURLToPath(new URL('../../atoll', import.meta.url))
/** Linux takes no socket paths of more than 107 bytes, whatever TMPDIR says. */
const parentFolder = '/tmp'
const followSeconds = 20
const kilo = 1024
const mega = 1e6

/** Some more than ten thousand: the pause between two writes is never quite as short. */
const writing = `lines=$(busybox seq 1 2600 | busybox sed 's/$/ GET \\/v1\\/models 200 in 3 ms, as a server logs it/')
while :; do echo "$lines"; sleep 0.2; done`

export interface FollowedLines {
  perSecond: number
  /** The most that the page's scripts held. */
  heapMegabytes: number
  /** The most that the page's process had to itself. */
  processMegabytes: number
}

type Launch = (executablePath: string) => Promise<Browser>
type LogIn = (browser: Browser, server: { url: string; adminKey: string }) => Promise<Page>

/** On a machine of its own: the engine makes networks. */
export async function followedLines(launch: Launch, logIn: LogIn): Promise<FollowedLines> {
  const folder = await mkdtemp(join(parentFolder, 'ac-'))
  const host = await isolatedHost()
  let browser: Browser | undefined
  try {
    const server = await startWithEngine(host, folder)
    const docker = dockerOf(host, join(folder, 'data', 'engine.sock'))
    await docker('import', '--change', 'ENV PATH=/bin', await makeBusybox(folder), 'busybox:latest')
    await docker('run', '-d', '--name', 'writer', '--network', 'none', 'busybox', 'sh', '-c', writing)
    browser = await launch(await inside(host, folder))
    const page = await logIn(browser, server)
    await page.getByRole('link', { name: 'Containers', exact: true }).click()
    await page.getByRole('link', { name: 'writer' }).click()
    await page.getByText(/earlier lines are not shown/).waitFor()
    const figures = await watch(browser, page)
    await browser.close()
    await docker('rm', '-f', 'writer')
    return figures
  } finally {
    await browser?.close()
    await host.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function startWithEngine(host: IsolatedHost, folder: string) {
  const adminKey = `sk-admin-${'bench'.repeat(8)}`
  const args = ['up', '--only', 'platform,engine', '--data', join(folder, 'data')]
  const { child, ended } = await host.spawn(launcher, args, { env: { ATOLL_ADMIN_KEY: adminKey } })
  let said = ''
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said += text
        if (/Atoll is ready\.[\s\S]*OPENAI_BASE_URL=\S+\n/.test(said)) resolve()
      })
    }
  })
  await Promise.race([ready, ended.then((code) => Promise.reject(new Error(`atoll ended with ${code}: ${said}`)))])
  return { url: /OPENAI_BASE_URL=(\S+)\/v1/.exec(said)?.[1] ?? '', adminKey }
}

const dockerOf =
  (host: IsolatedHost, socket: string) =>
  async (...args: string[]): Promise<void> => {
    const { code, stderr } = await host.run('docker', ['--host', `unix://${socket}`, ...args])
    if (code !== 0) throw new Error(`docker ${args[0]}: ${stderr}`)
  }

/** A browser on that machine, whose addresses are its own. */
async function inside(host: IsolatedHost, folder: string): Promise<string> {
  const path = join(folder, 'chromium')
  await writeFile(path, `#!/bin/sh\nexec nsenter --target ${host.pid} --net -- ${findProgram('chromium')} "$@"\n`)
  await chmod(path, 0o755)
  return path
}

async function watch(browser: Browser, page: Page): Promise<FollowedLines> {
  const [begin, from] = [performance.now(), await droppedLines(page)]
  let [heap, own] = [0, 0]
  for (let second = 0; second < followSeconds; second++) {
    await setTimeout(1_000)
    heap = Math.max(heap, await page.evaluate<number>('performance.memory.usedJSHeapSize'))
    own = Math.max(own, await largestRenderer(browser))
  }
  const perSecond = ((await droppedLines(page)) - from) / ((performance.now() - begin) / 1000)
  return { perSecond, heapMegabytes: heap / mega, processMegabytes: own / mega }
}

async function droppedLines(page: Page): Promise<number> {
  const text = (await page.getByText(/earlier lines are not shown/).textContent()) ?? ''
  return Number(/([\d,]+) earlier/.exec(text)?.[1]?.replaceAll(',', ''))
}

/** Memory that no other process shares, of the page's process: spare ones are smaller. */
async function largestRenderer(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const renderers = processInfo.filter(({ type }) => type === 'renderer')
  const sizes = await Promise.all(
    renderers.map(async ({ id }) => {
      const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '')
      return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * kilo
    }),
  )
  return Math.max(...sizes)
}
