// GET /v1/models with auth, limits, metering and logs, against a bare node:http server that sends the same bytes.
// needs: wrk
import { spawnServer } from './atoll-server.ts'
import { type BareServer, bareServer } from './bare-server.ts'
import { median, requestsPerSecond, requireWrk, spreadPercent } from './measure.ts'

const rounds = 5
const seconds = 4
/** Until all code is compiled for good, also where others use the machine. */
const warmUpSeconds = 10
const goal = 0.5

export async function bench(): Promise<void> {
  requireWrk()
  const atoll = await spawnServer()
  const authorization = { authorization: `Bearer ${atoll.apiKey}` }
  const sample = await fetch(`${atoll.url}/v1/models`, { headers: authorization })
  const answer = await sample.text()
  const same = await bareServer({ answer, headers: answerHeaders(sample) })
  const leanest = await bareServer({ answer, headers: { 'content-length': String(answer.length) } })
  try {
    console.log(`GET /v1/models, ${answer.length} bytes of JSON, ${rounds} rounds of ${seconds} s each, alternating`)
    for (const { url } of [same, atoll, leanest]) {
      await requestsPerSecond(`${url}/v1/models`, 64, warmUpSeconds, authorization)
    }
    for (const connections of [1, 64]) {
      const rate = (server: { url: string }) =>
        requestsPerSecond(`${server.url}/v1/models`, connections, seconds, authorization)
      const ours: number[] = []
      const theirs: number[] = []
      const bare: number[] = []
      for (let round = 0; round < rounds; round++) {
        theirs.push(await rate(same))
        ours.push(await rate(atoll))
        bare.push(await rate(leanest))
      }
      console.log(`  ${connections} connection${connections > 1 ? 's' : ''}: atoll ${shown(ours)}`)
      console.log(
        `    bare node:http, same headers and body: ${shown(theirs)}; ratio ${ratio(ours, theirs)} (goal ${goal})`,
      )
      console.log(`    bare node:http, same body alone: ${shown(bare)}; ratio ${ratio(ours, bare)}`)
    }
    console.log(`  idle memory before the load: ${atoll.idleMegabytes} MB (goal under 95)`)
  } finally {
    await closeAll(same, leanest)
    await atoll.close()
  }
}

/** All that the handler decides; node adds the date and the connection's by itself. */
function answerHeaders({ headers }: Response): Record<string, string> {
  const sent = Object.fromEntries(headers)
  for (const name of ['date', 'connection', 'keep-alive']) delete sent[name]
  return sent
}

async function closeAll(...servers: BareServer[]): Promise<void> {
  for (const server of servers) await server.close()
}

const shown = (values: number[]): string => `${Math.round(median(values))}/s ±${spreadPercent(values)}%`
const ratio = (ours: number[], theirs: number[]): string => (median(ours) / median(theirs)).toFixed(2)
