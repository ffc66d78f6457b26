// One manager, many workers that only answer: how fast tasks are placed and run, and what the manager needs for it.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isolatedHost } from '@atoll/engine/testing/isolated'
import { atoll } from '../engine/peers.ts'
import { until } from './several.ts'

const workers = 200
const stages = [500, 1_000, 2_500, 5_000]
const nanos = 1e9
/** One that answers late because the machine is busy is not down. */
const heartbeatSeconds = 60

export async function measureScale(folder: string): Promise<void> {
  const host = await isolatedHost()
  const own = join(folder, 'scale')
  mkdirSync(own, { recursive: true })
  const peer = atoll(host, own)
  try {
    await peer.start()
    const address = '127.0.0.1:2377'
    await peer.client.ask('POST', '/swarm/init', {
      ...{ ListenAddr: address, AdvertiseAddr: address, Availability: 'drain' },
      Spec: { Dispatcher: { HeartbeatPeriod: heartbeatSeconds * nanos } },
    })
    const { JoinTokens } = await peer.client.ask<{ JoinTokens: { Worker: string } }>('GET', '/swarm')
    const simulated = await host.module<typeof import('./simulated-workers.ts')>(
      new URL('./simulated-workers.ts', import.meta.url),
    )
    const joining = performance.now()
    await simulated.join(workers, address, JoinTokens.Worker)
    console.log(
      `  ${workers} workers joined in ${seconds(joining)} s; the manager has ${peer.daemonMegabytes.toFixed(0)} MB`,
    )
    console.log('  Of the engine with its etcd; the workers share its machine:')
    console.log(
      `  ${'tasks'.padEnd(10)}${'placed'.padEnd(22)}${'running'.padEnd(22)}${'processor per task'.padEnd(22)}memory`,
    )
    await scale(peer.client)
    let before = 0
    for (const stage of stages) {
      const [began, usedBefore] = [performance.now(), peer.cpuSeconds]
      await resize(peer.client, stage)
      await until(async () => ((await simulated.assigned()) >= stage ? true : undefined))
      const took = performance.now() - began
      await until(async () => ((await runningTasks(peer.client)) >= stage ? true : undefined))
      const all = performance.now() - began
      const rate = (ms: number) => `${(ms / 1000).toFixed(1)} s (${Math.round(((stage - before) / ms) * 1000)}/s)`
      const memory = `${peer.daemonMegabytes.toFixed(0)} MB`
      const used = `${(((peer.cpuSeconds - usedBefore) / (stage - before)) * 1000).toFixed(2)} ms`
      const columns = [rate(took).padEnd(22), rate(all).padEnd(22), used.padEnd(22)].join('')
      console.log(`  ${String(stage).padEnd(10)}${columns}${memory}`)
      before = stage
    }
  } finally {
    await peer.stop()
    await host.stop()
  }
}

const seconds = (since: number): string => ((performance.now() - since) / 1000).toFixed(1)

type Client = ReturnType<typeof atoll>['client']

const scale = (client: Client): Promise<unknown> =>
  client.ask('POST', '/services/create', {
    Name: 'scaled',
    Mode: { Replicated: { Replicas: 0 } },
    TaskTemplate: { ContainerSpec: { Image: 'busybox' } },
  })

async function resize(client: Client, Replicas: number): Promise<void> {
  const { Version, Spec } = await client.ask<{ Version: { Index: number }; Spec: object }>('GET', '/services/scaled')
  await client.ask('POST', `/services/scaled/update?version=${Version.Index}`, {
    ...Spec,
    Mode: { Replicated: { Replicas } },
  })
}

/** Counted by the manager: to read all tasks again and again would be measured as well. */
async function runningTasks(client: Client): Promise<number> {
  const [service] = await client.ask<{ ServiceStatus: { RunningTasks: number } }[]>('GET', '/services?status=true')
  return service?.ServiceStatus.RunningTasks ?? 0
}
