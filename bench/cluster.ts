// Redis databases: an upgrade under load and what clients notice of it, and what the endpoint's proxy costs.
// needs: redis-server, redis-benchmark, cc

import { buildTally, packModule } from '@atoll/cluster/testing/native-modules'
import { startWholeCluster } from '@atoll/cluster/testing/whole-cluster'
import { failoverUnderLoad } from './cluster/failover.ts'
import { measureProxy } from './cluster/proxy.ts'
import { fill, Writers } from './cluster/writers.ts'
import { median, spreadPercent } from './measure.ts'

const rounds = 3
const keys = 200_000
const writers = 8

export async function bench(): Promise<void> {
  await measureUpgrades()
  await measureFailovers()
  await measureProxy(rounds)
}

async function measureUpgrades(): Promise<void> {
  const { admin, stop } = await startWholeCluster()
  const pauses: number[] = []
  const gates: number[] = []
  const seconds: number[] = []
  let [acknowledged, errors, lost] = [0, 0, 0]
  try {
    const [one, two] = await Promise.all(
      ([1, 2] as const).map(async (major) => {
        const bytes = new Uint8Array(await packModule(await buildTally(major)))
        return (await admin.upload('/v2/modules', bytes)).body.uid as string
      }),
    )
    for (let round = 0; round < rounds; round++) {
      const { body } = await admin.call('POST', '/v1/bdbs', {
        name: `bench-${round}`,
        ...{ memory_size: 500_000_000, replication: true, data_persistence: 'aof' },
        module_list: [{ module_id: one }],
      })
      const { uid, port } = body
      await fill(port, keys)
      const load = new Writers(port, writers)
      await load.hasWritten(1000)
      const began = performance.now()
      const modules = [{ current_module: one, new_module: two }]
      const answer = await admin.call('POST', `/v1/modules/upgrade/bdb/${uid}`, { modules, preserve_roles: true })
      if (answer.status !== 200) throw new Error(`The upgrade failed: ${JSON.stringify(answer.body)}`)
      seconds.push((performance.now() - began) / 1000)
      const counted = await load.stop()
      pauses.push(counted.longestMs)
      gates.push(answer.body.longest_pause_ms)
      acknowledged += counted.acknowledged
      errors += counted.errors
      lost += await load.lost()
      await admin.call('DELETE', `/v1/bdbs/${uid}`)
    }
  } finally {
    await stop()
  }
  console.log(`  Upgrades of ${keys} keys under ${writers} writers, roles kept, ${rounds} rounds`)
  console.log(`  ${acknowledged} writes acknowledged, ${lost} lost (goal 0), ${errors} errors (goal 0)`)
  console.log(
    `  longest pause of a client: ${shown(pauses)} ms (goal 35); commands waited at the gate for ${shown(gates)} ms`,
  )
  console.log(`  the whole upgrade: ${median(seconds).toFixed(1)} s`)
}

async function measureFailovers(): Promise<void> {
  const pauses: number[] = []
  let [errors, lost] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    const result = await failoverUnderLoad(keys, writers)
    pauses.push(result.longestMs)
    errors += result.errors
    lost += result.lost
  }
  console.log(`  for comparison, FAILOVER TO between two servers without a proxy: ${lost} lost, ${errors} errors,`)
  console.log(`  longest pause ${shown(pauses)} ms`)
}

const shown = (values: readonly number[]): string => `${median(values).toFixed(1)} ±${spreadPercent(values)} %`
