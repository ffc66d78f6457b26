// Kills the engine again and again on one data folder while clients make, start, stop, enter and remove containers; in
// some rounds also shims and calls of the runtime.
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { EngineClient } from '@atoll/engine/testing/engine-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root } from '../places.ts'
import { Ledger } from './crash/ledger.ts'
import { Load, operate } from './crash/load.ts'
import { Saboteur, type Target } from './crash/saboteur.ts'
import { type Kills, table } from './crash/table.ts'
import { verify } from './crash/verify.ts'
import { type EngineServer, startEngineServer } from './engine-server.ts'
import { type Leak, LeakCheck } from './leak-check.ts'

const rounds = process.env.ATOLL_TEST_LONG === '1' ? 100 : 3
/** Every so often it is killed before it has found its containers again. */
const startKillEvery = 3
/** What else is killed while it works, round after round. */
const sabotage: readonly (Target | undefined)[] = [undefined, 'shim', 'runtime']
/** Counted in answers, so that much happens between two kills on a busy machine, too; and then at any instant. */
const mostAnswers = 50
const longestPauseMs = 300
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

async function killDuringWork(ledger: Ledger, saboteur: Saboteur, target: Target | undefined): Promise<void> {
  const load = new Load(client, ledger)
  let isOver = false
  const sabotaging = target === undefined ? undefined : saboteur.work(target, () => isOver || load.isOver)
  await load.answered(randomInt(mostAnswers))
  await pause(randomInt(longestPauseMs))
  isOver = true
  await server.end('SIGKILL')
  await load.stop()
  await sabotaging
}

async function removeAll(ledger: Ledger): Promise<number> {
  const running = ledger.known.filter(({ phase }) => phase === 'running').length
  for (const known of ledger.known) if (known.id !== undefined) await operate(client, ledger, known, 'remove')
  expect(await client.ask('GET', '/containers/json?all=1')).toEqual([])
  return running
}

it(`loses no container and leaves nothing behind when killed ${rounds} times under load`, {
  timeout: 120_000 + rounds * 30_000,
}, async () => {
  const began = performance.now()
  const ledger = new Ledger()
  const saboteur = new Saboteur(join(server.folder, 'data/engine'), ledger)
  const kills: Kills = { work: 0, start: 0, ...saboteur.kills }
  const leaks: Leak[] = []
  let runningAtEnd = 0
  const check = await LeakCheck.begin(server, client)
  const examine = async (round: string): Promise<void> => {
    leaks.push(...(await check.run(ledger.ids)))
    expect({ wrong: ledger.wrong, leaks }, round).toEqual({ wrong: [], leaks: [] })
  }
  try {
    for (let place = 0; place < ledger.places.length; place++) {
      await operate(client, ledger, ledger.newContainer(place), 'create')
    }
    while (kills.work < rounds) {
      const target = sabotage[kills.work % sabotage.length]
      await killDuringWork(ledger, saboteur, target)
      kills.work++
      if (kills.work % startKillEvery === 0) {
        await killDuringStart()
        kills.start++
      }
      await server.start()
      await verify(client, ledger)
      await examine(`round ${kills.work}, ${target ?? 'nothing else'} killed`)
    }
    runningAtEnd = await removeAll(ledger)
    await examine('at the end')
  } finally {
    const seconds = (performance.now() - began) / 1000
    Object.assign(kills, saboteur.kills)
    console.log(table({ rounds: kills.work, seconds, kills, ledger, leaks, runningAtEnd }))
  }
  // How many stops and execs came to their end before a kill is chance; the table tells.
  const { create, start, remove } = ledger.acknowledged
  for (const count of [create, start, remove]) expect(count).toBeGreaterThan(0)
})
