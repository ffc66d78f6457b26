// Kills the engine again and again on one data folder while clients make, start, stop, enter and remove containers.
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { EngineClient } from '@atoll/engine/testing/engine-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root } from '../places.ts'
import { Ledger } from './crash/ledger.ts'
import { Load, operate } from './crash/load.ts'
import { verify } from './crash/verify.ts'
import { type EngineServer, startEngineServer } from './engine-server.ts'
import { type Leak, LeakCheck, leakKinds } from './leak-check.ts'

const rounds = process.env.ATOLL_TEST_LONG === '1' ? 100 : 4
/** Every so often it is killed before it has found its containers again. */
const startKillEvery = 3
const longestWorkMs = 2_500
const longestStartMs = 1_500

let server: EngineServer
let client: EngineClient

beforeAll(async () => {
  server = await startEngineServer()
  client = new EngineClient(server.socketPath)
}, 120_000)

afterAll(async () => {
  await server?.stop()
}, 60_000)

async function killDuringStart(): Promise<void> {
  const args = ['up', '--only', 'engine', '--data', join(server.folder, 'data')]
  const starting = await server.host.spawn(join(root, 'atoll'), args)
  starting.child.stdout?.resume()
  starting.child.stderr?.resume()
  await pause(randomInt(50, longestStartMs))
  starting.kill('SIGKILL')
  await starting.ended
}

async function killDuringWork(ledger: Ledger): Promise<void> {
  const load = new Load(client, ledger)
  await pause(randomInt(50, longestWorkMs))
  await server.end('SIGKILL')
  await load.stop()
}

async function removeAll(ledger: Ledger): Promise<void> {
  for (const known of ledger.known) if (known.id !== undefined) await operate(client, ledger, known, 'remove')
}

function table(ledger: Ledger, kills: { work: number; start: number }, leaks: readonly Leak[]): string {
  const { create, start, stop, exec, remove } = ledger.acknowledged
  const count = (kind: string) => leaks.filter((leak) => leak.kind === kind).length
  return [
    `kill -9 of the engine: ${rounds} rounds, ${kills.work} at work, ${kills.start} during the start`,
    `  acknowledged: ${create} created, ${start} started, ${stop} stopped, ${exec} execs, ${remove} removed`,
    `  lost or wrong: ${ledger.wrong.length}`,
    `  left behind: ${leakKinds.map((kind) => `${count(kind)} ${kind}`).join(', ')}`,
  ].join('\n')
}

it(`loses no container and leaves nothing behind when killed ${rounds} times under load`, {
  timeout: 120_000 + rounds * 30_000,
}, async () => {
  const ledger = new Ledger()
  const kills = { work: 0, start: 0 }
  const leaks: Leak[] = []
  const check = await LeakCheck.begin(server, client)
  for (let place = 0; place < ledger.places.length; place++) {
    await operate(client, ledger, ledger.newContainer(place), 'create')
  }
  for (let round = 0; round < rounds; round++) {
    await killDuringWork(ledger)
    kills.work++
    if (round % startKillEvery === startKillEvery - 1) {
      await killDuringStart()
      kills.start++
    }
    await server.start()
    await verify(client, ledger)
    leaks.push(...(await check.run(ledger.ids)))
    expect({ wrong: ledger.wrong, leaks }, `round ${round}`).toEqual({ wrong: [], leaks: [] })
  }
  await removeAll(ledger)
  expect(await client.ask('GET', '/containers/json?all=1')).toEqual([])
  leaks.push(...(await check.run(ledger.ids)))
  console.log(table(ledger, kills, leaks))
  expect({ wrong: ledger.wrong, leaks }).toEqual({ wrong: [], leaks: [] })
  // How many stops and execs came to their end before a kill is chance; the table tells.
  const { create, start, remove } = ledger.acknowledged
  for (const count of [create, start, remove]) expect(count).toBeGreaterThan(0)
})
