// What the page's main thread had to do, by Chromium's own trace: in processor time, which does not grow when the
// machine does much else, and by the clock.
import type { Browser, Page } from 'playwright-core'

interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  /** By the clock, in microseconds; `tdur` is processor time. */
  dur?: number
  tdur?: number
  args?: { name?: string }
}

export interface Task {
  clockMs: number
  cpuMs: number
}

const categories = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline']

/** The tasks of the thread that renders the page, while `work` goes on. */
export async function mainThreadTasks(browser: Browser, page: Page, work: () => Promise<void>): Promise<Task[]> {
  await browser.startTracing(page, { categories })
  await work()
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] }
  const tasks = traceEvents.filter(({ name, ph }) => name === 'RunTask' && ph === 'X')
  const threads = Map.groupBy(tasks, ({ pid, tid }) => `${pid} ${tid}`)
  const renderers = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
  // Whoever runs scripts most is the page; others are spare renderers.
  const ofPage = renderers
    .map(({ pid, tid }) => threads.get(`${pid} ${tid}`) ?? [])
    .reduce((most, list) => (cpuOf(list) > cpuOf(most) ? list : most), [] as TraceEvent[])
  if (ofPage.length === 0) throw new Error('The trace has no tasks of the page')
  return ofPage.map(({ dur = 0, tdur = 0 }) => ({ clockMs: dur / 1000, cpuMs: tdur / 1000 }))
}

const cpuOf = (events: readonly TraceEvent[]): number => events.reduce((sum, { tdur = 0 }) => sum + tdur, 0)
