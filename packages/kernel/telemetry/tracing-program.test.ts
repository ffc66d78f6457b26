// The whole program in a process of its own: what it loads, and what it still sends when it is told to end.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { OtlpCollector } from './testing/otlp-collector.ts'

const launcher = fileURLToPath(new URL('../../../atoll', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'atoll-tracing-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Says the name of each module of OpenTelemetry as it is loaded, by import or by require. */
const spy = `import { registerHooks } from 'node:module'
registerHooks({
  load(url, context, next) {
    if (url.includes('@opentelemetry')) process.stderr.write('loaded ' + url + '\\n')
    return next(url, context)
  },
})`

async function runOnce(name: string, env: Record<string, string>): Promise<{ loaded: boolean; id: string | null }> {
  const child = spawn(launcher, ['up', '--port', '0', '--data', join(folder, name)], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(spy)}`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  let wrong = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    wrong += text
  })
  const ended = once(child, 'close')
  try {
    for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      said += text
      if (said.includes('Atoll is ready.')) break
    }
    child.stdout.resume()
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]
    const response = await fetch(`${url}/readyz`, { headers: { connection: 'close' } })
    await response.arrayBuffer()
    child.kill('SIGTERM')
    expect(await ended, wrong).toEqual([0, null])
    return { loaded: wrong.includes('loaded '), id: response.headers.get('x-request-id') }
  } finally {
    child.kill('SIGKILL')
  }
}

it('Atoll loads nothing of OpenTelemetry unless a collector is named', async () => {
  const off = { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: '' }
  expect((await runOnce('off', off)).loaded).toBe(false)
})

it('Atoll sends the spans that still wait when it ends', async () => {
  const collector = new OtlpCollector()
  const endpoint = await collector.start()
  try {
    // Nothing goes out by itself within the hour.
    const on = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_BSP_SCHEDULE_DELAY: '3600000' }
    const { loaded, id } = await runOnce('on', on)
    expect(loaded).toBe(true)
    expect(collector.spans.map(({ attributes }) => attributes['atoll.request_id'])).toEqual([id])
  } finally {
    await collector.stop()
  }
})
