// GET /v1/models with auth, limits, metering and logs, against a bare node:http server that sends the same bytes.
import { spawnServer } from './atoll-server.ts'
import { bareServer } from './bare-server.ts'
import { median, requestsPerSecond, requireWrk, spreadPercent } from './measure.ts'

const rounds = 5
const seconds = 4
const goal = 0.5

export async function bench(): Promise<void> {
  requireWrk()
  const atoll = await spawnServer()
  const headers = { authorization: `Bearer ${atoll.apiKey}` }
  const body = await (await fetch(`${atoll.url}/v1/models`, { headers })).text()
  const bare = await bareServer({ answer: body })
  try {
    console.log(`GET /v1/models, ${body.length} bytes, ${rounds} rounds of ${seconds} s each, alternating`)
    for (const connections of [1, 64]) {
      const ours: number[] = []
      const theirs: number[] = []
      for (let round = 0; round < rounds; round++) {
        theirs.push(await requestsPerSecond(`${bare.url}/v1/models`, connections, seconds, headers))
        ours.push(await requestsPerSecond(`${atoll.url}/v1/models`, connections, seconds, headers))
      }
      const ratio = median(ours) / median(theirs)
      console.log(
        `  ${String(connections).padStart(2)} connections: atoll ${rate(ours)}, bare node:http ${rate(theirs)}; ratio ${ratio.toFixed(2)} (goal ${goal})`,
      )
    }
    console.log(`  idle memory before the load: ${atoll.idleMegabytes} MB (goal under 100)`)
  } finally {
    await bare.close()
    await atoll.close()
  }
}

const rate = (values: number[]): string => `${Math.round(median(values))}/s ±${spreadPercent(values)}%`
