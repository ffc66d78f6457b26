// A list that somebody pages through: what "Show more" costs the page, at first and with many rows above.
import type { Browser, Page } from 'playwright-core'
import type { AtollServer } from '../atoll-server.ts'
import { median } from '../measure.ts'
import { mainThreadTasks } from './main-thread.ts'

const pageSize = 50
const clicks = 30
const compared = 5
const sentAtOnce = 8

export interface Paging {
  rows: number
  firstMs: number
  lastMs: number
}

/** In processor time of the page's main thread. */
export async function pagesThrough(browser: Browser, page: Page, atoll: AtollServer): Promise<Paging> {
  const rows = pageSize * (clicks + 1)
  await makeFiles(atoll, rows)
  await page.getByRole('link', { name: 'Files', exact: true }).click()
  const cpuMs: number[] = []
  for (let click = 1; click <= clicks; click++) {
    const tasks = await mainThreadTasks(browser, page, async () => {
      await page.getByRole('button', { name: 'Show more' }).click()
      await page.locator('main tbody').nth(click).waitFor({ state: 'attached' })
    })
    cpuMs.push(tasks.reduce((sum, task) => sum + task.cpuMs, 0))
  }
  return { rows, firstMs: median(cpuMs.slice(0, compared)), lastMs: median(cpuMs.slice(-compared)) }
}

async function makeFiles(atoll: AtollServer, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `fees of the year ${index}.txt`).values()
  const send = async () => {
    for (const name of names) await makeFile(atoll, name)
  }
  await Promise.all(Array.from({ length: sentAtOnce }, send))
}

async function makeFile({ url, apiKey }: AtollServer, name: string): Promise<void> {
  const body = new FormData()
  body.set('purpose', 'assistants')
  body.set('file', new Blob(['Guests pay six euros.']), name)
  const headers = { authorization: `Bearer ${apiKey}` }
  const { status } = await fetch(`${url}/v1/files`, { method: 'POST', headers, body })
  if (status !== 200) throw new Error(`A file was answered with ${status}`)
}
