// Clients that hang up at any moment: while they wait, while the prompt is read, in mid-answer.
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { writeRandomModel } from '@atoll/models/testing/random-gguf'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'

const clients = 1_000
const atOnce = 50
const longestStayMs = 250
const megabyte = 1024 ** 2
const allowedGrowthMegabytes = 64
const apiKey = 'sk-disconnects'

it(`${clients} clients that leave at random moments leave no place taken and no memory behind`, async () => {
  const file = join(await tempDir(), 'random.gguf')
  writeRandomModel(file)
  const server = new ServerProcess({
    args: ['--data', await tempDir(), '--port', '0', '--model', file],
    env: { ATOLL_API_KEY: apiKey, ATOLL_ADMIN_KEY: 'sk-admin-disconnects', ATOLL_LOG_LEVEL: 'warn' },
  })
  const url = await server.ready()
  await waves(url, 200) // what the first requests load stays
  await untilIdle(url)
  const before = memory(server.processId)
  const ended = await waves(url, clients)
  await untilIdle(url)
  const after = memory(server.processId)
  const grown = after.map((bytes, index) => Math.round((bytes - (before[index] ?? 0)) / megabyte))
  const counts = `${clients} clients: ${ended.left} left early, ${ended.finished} stayed to the end, ${ended.refused} refused`
  console.log(`${counts}; no place is taken; memory grew by ${grown.join(' and ')} MB (API and model)`)
  expect(ended.left).toBeGreaterThan(clients / 2)
  for (const megabytes of grown) expect(megabytes).toBeLessThan(allowedGrowthMegabytes)
  const answers = await Promise.all(Array.from({ length: 8 }, () => visit(url, undefined)))
  expect(answers).toEqual(Array(8).fill('finished'))
  await server.stop()
}, 120_000)

type End = 'left' | 'finished' | 'refused'

async function waves(url: string, count: number): Promise<Record<End, number>> {
  const ends: Record<End, number> = { left: 0, finished: 0, refused: 0 }
  let started = 0
  const one = async (): Promise<void> => {
    while (started++ < count) ends[await visit(url, Math.random() * longestStayMs)]++
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  return ends
}

function visit(url: string, stayMs: number | undefined): Promise<End> {
  const body = JSON.stringify({
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: `${Math.random()} ${'word '.repeat(Math.random() * 200)}` }],
    max_tokens: stayMs === undefined ? 20 : 1 + Math.floor(Math.random() ** 2 * 1_000),
    stream: Math.random() < 0.7,
  })
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  return new Promise((resolve) => {
    const call = request(`${url}/v1/chat/completions`, { method: 'POST', headers }, (response) => {
      response.resume()
      response.on('error', () => resolve('left'))
      response.on('end', () => resolve(response.statusCode === 200 ? 'finished' : 'refused'))
    })
    call.on('error', () => resolve('left'))
    call.end(body)
    if (stayMs !== undefined) void setTimeout(stayMs).then(() => call.destroy())
  })
}

async function untilIdle(url: string): Promise<void> {
  for (;;) {
    const text = await (await fetch(`${url}/metrics`)).text()
    const busy = [...text.matchAll(/^atoll_model_(?:running|waiting)\{[^}]*\} (\d+)$/gm)].map(([, value]) =>
      Number(value),
    )
    if (busy.length > 0 && busy.every((value) => value === 0)) return
    await setTimeout(20)
  }
}

/** Resident bytes of the server and of the model's process. */
function memory(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return [pid, ...children.map(Number)].map((id) => {
    const status = readFileSync(`/proc/${id}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
  })
}
