// Posts one body again and again, with wrk, and measures rate and latency.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Target {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
}

export interface Load {
  perSecond: number
  /** Half of the answers came within this time. */
  medianMs: number
  /** 99 of 100 did. */
  p99Ms: number
}

export async function postLoad({ url, headers, body }: Target, connections: number, seconds: number): Promise<Load> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-wrk-'))
  try {
    const script = join(folder, 'post.lua')
    const lines = Object.entries({ 'content-type': 'application/json', ...headers }).map(
      ([name, value]) => `wrk.headers[${lua(name)}] = ${lua(value)}`,
    )
    await writeFile(script, ['wrk.method = "POST"', `wrk.body = ${lua(body)}`, ...lines, ''].join('\n'))
    const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '--timeout', '20s', '-s', script, url]
    const { stdout } = await run('wrk', args)
    if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`Not every request succeeded:\n${stdout}`)
    const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
    return { perSecond, medianMs: percentileMs(stdout, 50), p99Ms: percentileMs(stdout, 99) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const units: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000 }

function percentileMs(stdout: string, percent: number): number {
  const [, value, unit = ''] = new RegExp(`^\\s*${percent}%\\s+([\\d.]+)(us|ms|s)$`, 'm').exec(stdout) ?? []
  return Number(value) * (units[unit] ?? Number.NaN)
}

/** JSON's quoting is Lua's for what is sent here: letters and backslashes before quotes. */
const lua = (text: string): string => JSON.stringify(text)
