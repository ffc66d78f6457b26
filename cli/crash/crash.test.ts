// Kills the whole server again and again on one data folder, while clients are at work and while it starts.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { waitUntil } from '@atoll/platform/testing/wait-until'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'
import { Client } from './client.ts'
import { Ledger } from './ledger.ts'
import { Load } from './load.ts'
import { damagedSegments, Stored } from './stored.ts'
import { Verification } from './verify.ts'

const rounds = process.env.ATOLL_TEST_LONG === '1' ? 100 : 3
const serverWithKeys = fileURLToPath(new URL('./server-with-keys.ts', import.meta.url))
const apiKey = 'sk-crash-test'

class House {
  readonly folder: string
  readonly ledger = new Ledger()
  readonly client: Client
  /** How long the last start took on this machine. */
  startMs = 1000
  readonly #port: number

  constructor(folder: string, port: number) {
    this.folder = folder
    this.#port = port
    this.client = new Client(`http://127.0.0.1:${port}`, apiKey)
  }

  start(program?: string): ServerProcess {
    return new ServerProcess({
      args: ['--data', this.folder, '--port', String(this.#port)],
      env: { ATOLL_API_KEY: apiKey, ATOLL_ADMIN_KEY: 'sk-admin-crash-test' },
      ...(program ? { program } : {}),
      onNote: (line) => this.ledger.hearKey(line),
    })
  }

  /** With the server at rest. Released blobs go in the background, so the disk may be a moment behind the rows. */
  async verify(extent: 'sample' | 'all'): Promise<void> {
    const stored = new Stored(this.folder)
    try {
      await waitUntil(() => stored.orphans().length === 0).catch(() => undefined)
      expect(stored.orphans()).toEqual([])
      expect(stored.torn()).toEqual([])
      expect(stored.damaged()).toEqual([])
      expect(await new Verification(this.client, this.ledger, stored).run(extent)).toEqual([])
      expect(stored.torn()).toEqual([])
    } finally {
      stored.close()
    }
    expect(this.ledger.wrongAnswers).toEqual([])
  }
}

async function killDuringStart(house: House, program: string | undefined): Promise<void> {
  const server = house.start(program)
  const load = new Load(house.client, house.ledger)
  await pause(randomInt(10, Math.round(house.startMs * 1.3)))
  await server.kill()
  await load.stop()
}

/** Clients that do not wait for the start find the server while it still cleans up after the crash. */
async function startUnderLoad(house: House, program: string | undefined): Promise<ServerProcess> {
  const load = new Load(house.client, house.ledger)
  const server = house.start(program)
  const began = performance.now()
  try {
    await server.ready()
    house.startMs = Math.round(performance.now() - began)
    await server.swept()
    return server
  } finally {
    await load.stop()
  }
}

async function killDuringWork(house: House, program: string | undefined): Promise<void> {
  const server = await startUnderLoad(house, program)
  await house.verify('sample')
  const load = new Load(house.client, house.ledger)
  server.tell('keys')
  await pause(randomInt(30, 600))
  await server.kill()
  await load.stop()
}

/** Outside the range that outgoing connections take theirs from: clients knock on it while nobody listens. */
async function quietPort(): Promise<number> {
  const port = randomInt(20_000, 32_000)
  const server = createServer().listen(port, '127.0.0.1')
  const free = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (!free) return quietPort()
  server.close()
  await once(server, 'close')
  return port
}

it(`loses nothing acknowledged, leaves no orphan and tears no row when killed ${rounds} times during start, uploads, file and key creation`, {
  timeout: 60_000 + rounds * 15_000,
}, async () => {
  const house = new House(await tempDir(), await quietPort())
  for (let round = 0; round < rounds; round++) {
    const program = round % 3 === 1 ? undefined : serverWithKeys
    if (round % 4 === 0) await killDuringStart(house, program)
    else await killDuringWork(house, program)
    // Not each time: whoever opens the database first also repairs it, and mostly that should be the server.
    if (round % 3 === 2) expect(await damagedSegments(house.folder)).toEqual([])
  }
  const last = await startUnderLoad(house, undefined)
  await house.verify('all')
  expect(await last.stop()).toBe(0)
  expect(await damagedSegments(house.folder)).toEqual([])
  const { files, parts, keys, deletions } = house.ledger.acknowledged
  for (const count of [files, parts, keys, deletions]) expect(count).toBeGreaterThan(0)
  console.log(
    `kill -9: ${rounds} rounds, ${files} files, ${parts} parts, ${keys} keys, ${deletions} deletions acknowledged, 0 lost, 0 orphans, 0 torn rows`,
  )
})
