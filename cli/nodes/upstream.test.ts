// One Atoll in front of two others: when one of them dies in mid-load, nothing that had not begun to stream is lost.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { writeRandomModel } from '@atoll/models/testing/random-gguf'
import { tempDir } from '@atoll/testkit/temp-dir'
import { beforeAll, describe, expect, it } from 'vitest'
import { ServerProcess } from './server-process.ts'

const apiKey = 'sk-front'
const replicaKey = 'sk-replica'
const requests = 120

interface Outcome {
  status: number
  /** Tokens arrived before the end. */
  began: boolean
  whole: boolean
}

describe('an Atoll with two others as its upstream', () => {
  let replicas: ServerProcess[]
  let url: string

  beforeAll(async () => {
    const file = join(await tempDir(), 'random.gguf')
    writeRandomModel(file)
    const args = async (): Promise<string[]> => ['--data', await tempDir(), '--port', '0']
    const env = { ATOLL_ADMIN_KEY: 'sk-admin', ATOLL_LOG_LEVEL: 'warn' }
    replicas = [1, 2].map(() => undefined as unknown as ServerProcess)
    for (const index of replicas.keys()) {
      const options = { args: [...(await args()), '--model', file], env: { ...env, ATOLL_API_KEY: replicaKey } }
      replicas[index] = new ServerProcess(options)
    }
    const urls = await Promise.all(replicas.map(async (replica) => `${await replica.ready()}/v1`))
    const config = join(await tempDir(), 'atoll.json')
    const pair = { kind: 'upstream', replicas: urls, apiKey: replicaKey, model: 'gpt-4o-mini' }
    writeFileSync(
      config,
      JSON.stringify({ platform: { runtimes: { pair }, models: [{ id: 'far', runtime: 'pair' }] } }),
    )
    const front = new ServerProcess({
      args: [...(await args()), '--config', config],
      env: { ...env, ATOLL_API_KEY: apiKey },
    })
    url = await front.ready()
    await chat(url, false)
    await Promise.all(Array.from({ length: 8 }, () => chat(url, false))) // both have loaded their model
  })

  it('loses no request that had not started streaming when one of them is killed', async () => {
    const ends: Promise<Outcome>[] = []
    for (let index = 0; index < requests; index++) {
      ends.push(chat(url, index % 2 === 0))
      if (index === requests / 3) await replicas[0]?.kill()
      await setTimeout(2)
    }
    const outcomes = await Promise.all(ends)
    const lost = outcomes.filter(({ whole, began }) => !whole && !began)
    const cut = outcomes.filter(({ whole, began }) => !whole && began)
    console.log(
      `${requests} requests, one of two replicas killed: ${lost.length} lost, ${cut.length} cut in mid-stream`,
    )
    expect(lost).toEqual([])
    expect(outcomes.filter(({ whole }) => whole).length).toBeGreaterThan(requests / 2)
  })
})

async function chat(url: string, stream: boolean): Promise<Outcome> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'far', messages: [{ role: 'user', content: 'hello' }], max_tokens: 40, stream }),
  })
  const text = await response.text()
  const whole = stream
    ? text.trimEnd().endsWith('data: [DONE]')
    : response.status === 200 && 'usage' in JSON.parse(text)
  return { status: response.status, began: stream && text.includes('chat.completion.chunk'), whole }
}
