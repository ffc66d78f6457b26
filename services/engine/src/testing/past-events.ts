// What the engine has told until now.
import type { WholeEngine } from './start-whole-engine.ts'

export interface PastEvent {
  Type: string
  Action: string
  Actor: { ID: string; Attributes: Record<string, string> }
}

export async function pastEvents({ client }: WholeEngine, version = '1.47'): Promise<PastEvent[]> {
  const query = `since=1&until=${(Date.now() / 1000).toFixed(3)}`
  const { body } = await client.call('GET', `/v${version}/events?${query}`)
  const lines = body.toString().split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line))
}
