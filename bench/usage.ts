// Usage: pages of a month of calls, of every width and grouping, and what it costs to keep the sums.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cpuSeconds } from './atoll-server.ts'
import { median, spreadPercent } from './measure.ts'
import { type Month, monthSeconds } from './usage-month.ts'
import { showSumsCost } from './usage-sums-cost.ts'

const events = Number(process.env.ATOLL_BENCH_EVENTS ?? 10_000_000)
const runs = 3
const pagesARun = 60
const warmUpPages = 5
const goalMs = 50

const widths = [
  { width: '1m', seconds: 60, limits: [60, 1440] },
  { width: '1h', seconds: 3_600, limits: [24, 168] },
  { width: '1d', seconds: 86_400, limits: [7, 31] },
]
const groupings = [[], ['model'], ['project_id', 'user_id', 'api_key_id', 'model', 'batch']]

interface Server {
  process: ChildProcess
  url: string
  adminKey: string
  filled: { seconds: number; cpuSeconds: number }
}

export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-usage-'))
  try {
    await showSumsCost(join(folder, 'sums'))
    const start = Math.floor(Date.now() / 86_400_000) * 86_400 - monthSeconds
    const server = await serve(join(folder, 'data'), { events, start })
    try {
      showFilling(server)
      await showPages(server, start)
    } finally {
      server.process.kill()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function serve(folder: string, month: Month): Promise<Server> {
  const program = fileURLToPath(new URL('./usage-server-process.ts', import.meta.url))
  const child = fork(program, [folder, JSON.stringify(month)])
  const [ready] = (await once(child, 'message')) as [Omit<Server, 'process'>]
  return { process: child, ...ready }
}

function showFilling({ filled }: Server): void {
  const each = (seconds: number): string => ((seconds * 1e6) / events).toFixed(1)
  console.log(
    `  ${events} calls written down as they come (journal, table, sums): ${filled.seconds.toFixed(0)} s, ${each(filled.cpuSeconds)} CPU µs each`,
  )
}

async function showPages(server: Server, start: number): Promise<void> {
  const all: number[][] = Array.from({ length: runs }, () => [])
  for (const { width, seconds, limits } of widths) {
    for (const limit of limits) {
      for (const groups of groupings) {
        const query = `bucket_width=${width}&limit=${limit}&group_by[]=${groups.join('&group_by[]=')}`
        const asked = groups.length === 0 ? `bucket_width=${width}&limit=${limit}` : query
        const cpu = cpuSeconds(server.process)
        const times = await timesOf(server, asked, start, seconds * limit)
        const cpuMs = ((cpuSeconds(server.process) - cpu) * 1000) / (runs * pagesARun + warmUpPages)
        for (const [run, ofRun] of times.entries()) all[run]?.push(...ofRun)
        const by = groups.length === 0 ? 'all together' : groups.length === 1 ? 'by model' : 'by everything'
        show(`${String(limit).padStart(4)} × ${width}, ${by}`, times, `; ${cpuMs.toFixed(1)} CPU ms of the server`)
      }
    }
  }
  show(`any page (goal: ${goalMs} ms p99)`, all)
}

/** Pages that begin anywhere in the month. */
async function timesOf(server: Server, query: string, start: number, span: number): Promise<number[][]> {
  const times: number[][] = []
  for (let run = -1; run < runs; run++) {
    const ofRun: number[] = []
    for (let page = 0; page < (run < 0 ? warmUpPages : pagesARun); page++) {
      const from = start + Math.floor(Math.random() * Math.max(1, monthSeconds - span))
      ofRun.push(await pageMs(server, `start_time=${from}&${query}`))
    }
    if (run >= 0) times.push(ofRun)
  }
  return times
}

async function pageMs({ url, adminKey }: Server, query: string): Promise<number> {
  const began = performance.now()
  const headers = { authorization: `Bearer ${adminKey}` }
  const response = await fetch(`${url}/v1/organization/usage/completions?${query}`, { headers })
  const bytes = await response.arrayBuffer()
  const took = performance.now() - began
  if (response.status !== 200 || bytes.byteLength < 100) throw new Error(`${response.status} for ${query}`)
  return took
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? Number.NaN

function show(what: string, times: readonly (readonly number[])[], more = ''): void {
  const [p50, p99] = [0.5, 0.99].map((share) => times.map((ofRun) => quantile(ofRun, share))) as [number[], number[]]
  const figure = (values: number[]): string => `${median(values).toFixed(1)} ms`
  console.log(
    `  ${what.padEnd(34)} p50 ${figure(p50).padStart(9)}, p99 ${figure(p99).padStart(9)} ± ${spreadPercent(p99)} %${more}`,
  )
}
