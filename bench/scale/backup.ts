// A backup of many objects while somebody chats: what it does to the answers, and whether it can be restored.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startStubModel } from '../../cli/chaos/stub-model.ts'
import { runAtoll } from '../../cli/run-atoll.ts'
import { type AtollServer, spawnServer } from '../atoll-server.ts'
import type { Probe } from '../unstoppable/attack.ts'
import { type Delays, delaysDuring } from '../unstoppable/delays.ts'
import { bearer } from '../unstoppable/requests.ts'

const uploadsAtOnce = 4
const plenty = 1_000_000_000
const goal = 1.3
/** The first answers compile the server's code: they say nothing about the backup. */
const warmMs = 5_000

const chat: Probe = {
  name: 'POST /v1/chat/completions',
  everyMs: 20,
  async ask({ url, apiKey }) {
    const headers = { ...bearer(apiKey), 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'stub', messages: [{ role: 'user', content: 'Good morning.' }] })
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
    if (answer.status !== 200) throw new Error(`The chat answered ${answer.status}: ${await answer.text()}`)
    await answer.arrayBuffer()
  },
}

export async function measureBackup(objects: number, kilobytes: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-backup-'))
  const model = await startStubModel('127.0.0.1')
  const config = join(folder, 'atoll.json')
  await writeFile(config, JSON.stringify(settings(model.url)))
  const server = await spawnServer(['--config', config])
  try {
    await upload(server, objects, kilobytes)
    const place = join(folder, 'backup')
    await delaysDuring(server, chat, () => pause(warmMs))
    const began = performance.now()
    const beside = await delaysDuring(server, chat, () => command('backup', place, '--data', server.data))
    const tookMs = performance.now() - began
    const idle = await delaysDuring(server, chat, () => pause(tookMs))
    tell(objects, kilobytes, tookMs, { idle, beside })
    await command('backup', 'verify', place)
    await command('restore', place, '--data', join(folder, 'restored'))
    console.log('    verified, and restored with every checksum right')
  } finally {
    await server.close()
    model.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const settings = (modelUrl: string) => ({
  platform: {
    runtimes: { stub: { kind: 'upstream', replicas: [modelUrl], model: 'stub' } },
    models: [{ id: 'stub', runtime: 'stub', serves: ['chat'] }],
    rateLimits: { requestsPerMinute: plenty, tokensPerMinute: plenty },
  },
})

/** Each with bytes of its own: equal ones could be kept once. */
async function upload({ url, apiKey }: AtollServer, objects: number, kilobytes: number): Promise<void> {
  let left = objects
  const lane = async () => {
    while (left-- > 0) {
      const form = new FormData()
      form.set('purpose', 'user_data')
      form.set('file', new Blob([randomBytes(kilobytes * 1024)]), 'object.bin')
      const answer = await fetch(`${url}/v1/files`, { method: 'POST', headers: bearer(apiKey), body: form })
      if (answer.status !== 200) throw new Error(`An upload answered ${answer.status}: ${await answer.text()}`)
      await answer.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: uploadsAtOnce }, lane))
}

async function command(...args: string[]): Promise<void> {
  const { code, err } = await runAtoll(args)
  if (code !== 0) throw new Error(`./atoll ${args.join(' ')} ended with ${code}: ${err}`)
}

function tell(objects: number, kilobytes: number, tookMs: number, delays: Record<'idle' | 'beside', Delays>): void {
  const { idle, beside } = delays
  const ratio = beside.p99Ms / idle.p99Ms
  const size = `${objects} objects of ${kilobytes} KB`
  console.log(`    ${size} in ${(tookMs / 1000).toFixed(1)} s, while somebody chats every ${chat.everyMs} ms`)
  console.log(`    alone:  ${shown(idle)}`)
  console.log(
    `    beside: ${shown(beside)}: p99 ${ratio.toFixed(2)} times (goal at most ${goal}${ratio <= goal ? '' : ', missed'})`,
  )
}

const shown = ({ medianMs, p99Ms, worstMs }: Delays): string =>
  `p50 ${medianMs.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, worst ${worstMs.toFixed(0)} ms`
