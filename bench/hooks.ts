// Webhook gateway: deliveries kept on disk before they are answered, against a server that keeps nothing; 100,000 that wait; the start after a crash.
// needs: wrk, webhook
import { setTimeout } from 'node:timers/promises'
import { residentBytes } from './atoll-server.ts'
import { Gateway, hookHeaders } from './hooks/gateway.ts'
import { withWebhookServer } from './hooks/webhook-server.ts'
import { median, requireWrk, spreadPercent } from './measure.ts'
import { type Load, postLoad } from './post-load.ts'

const rounds = 3
const seconds = 4
const connections = 64
const backlog = 100_000
const settleMs = 3_000

/** About 500 bytes. */
const filling = 'The nightly build of the main branch has failed in the step that links the programs. '.repeat(5)
const bodies = {
  agent: JSON.stringify({ message: filling, name: 'Build', wakeMode: 'next-heartbeat', deliver: false }),
  wake: JSON.stringify({ text: filling, mode: 'next-heartbeat' }),
}

export async function bench(): Promise<void> {
  requireWrk()
  await measureAcceptance()
  await measureBacklog()
}

async function measureAcceptance(): Promise<void> {
  const gateway = await Gateway.open()
  const hook = (name: keyof typeof bodies, at = connections) =>
    postLoad({ url: `${gateway.url}/hooks/${name}`, headers: hookHeaders, body: bodies[name] }, at, seconds)
  const peer = () =>
    withWebhookServer((url) => postLoad({ url, headers: hookHeaders, body: bodies.agent }, connections, seconds))
  const loads: Record<'agent' | 'wake' | 'peer' | 'alone', Load[]> = { agent: [], wake: [], peer: [], alone: [] }
  try {
    await hook('agent')
    for (let round = 0; round < rounds; round++) {
      loads.peer.push(await peer())
      loads.agent.push(await hook('agent'))
      loads.wake.push(await hook('wake'))
      loads.alone.push(await hook('agent', 1))
    }
  } finally {
    await gateway.close()
  }
  console.log(
    `  ${connections} connections, ${bodies.agent.length} bytes, ${rounds} rounds of ${seconds} s, alternating`,
  )
  console.log(`  webhook (keeps nothing, runs /bin/true): ${shown(loads.peer)}`)
  for (const name of ['agent', 'wake'] as const) {
    const ratio = rate(loads[name]) / rate(loads.peer)
    console.log(`  POST /hooks/${name}, on disk before the answer: ${shown(loads[name])}`)
    console.log(`    ratio ${ratio.toFixed(2)} (goal 0.5), goals 3000/s and a median of at most 8 ms`)
  }
  console.log(`  POST /hooks/agent, one connection: ${shown(loads.alone)}`)
}

async function measureBacklog(): Promise<void> {
  const gateway = await Gateway.open()
  const target = { url: `${gateway.url}/hooks/agent`, headers: hookHeaders, body: bodies.agent }
  try {
    await gateway.kill()
    const emptySeconds = await gateway.start()
    await setTimeout(settleMs)
    const before = residentBytes(gateway.process)
    while ((await gateway.waiting()) < backlog) await postLoad(target, connections, 2)
    await setTimeout(settleMs)
    const growth = (residentBytes(gateway.process) - before) / 1e6
    const waiting = await gateway.waiting()
    const starts: number[] = []
    for (let round = 0; round < rounds; round++) {
      await gateway.kill()
      starts.push(await gateway.start())
      if ((await gateway.waiting()) < waiting) throw new Error('deliveries were lost')
    }
    console.log(`  ${waiting} deliveries wait: ${Math.round(growth)} MB more memory (goal under 100)`)
    console.log(
      `  killed, and answering again after ${median(starts).toFixed(2)} s ±${spreadPercent(starts)} % (goal under 2), none lost;`,
    )
    console.log(`    ${emptySeconds.toFixed(2)} s where nothing waits`)
  } finally {
    await gateway.close()
  }
}

const rate = (loads: readonly Load[]): number => median(loads.map(({ perSecond }) => perSecond))

function shown(loads: readonly Load[]): string {
  const [p50, p99] = [median(loads.map(({ medianMs }) => medianMs)), median(loads.map(({ p99Ms }) => p99Ms))]
  const spread = spreadPercent(loads.map(({ perSecond }) => perSecond))
  return `${Math.round(rate(loads))}/s ±${spread} %, median ${p50.toFixed(1)} ms, 99th ${p99.toFixed(1)} ms`
}
