// Whether the process lives, and whether it should be sent requests.

import { sendJson } from '../answer/send.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Health } from '../options.ts'

const notCached = { 'cache-control': 'no-store' }

export const alive: Endpoint = async (exchange) => sendJson(exchange, 200, { status: 'ok' }, notCached)

export function readiness(health: Health): Endpoint {
  return async (exchange) => {
    const reason = exchange.host.closing ? 'The server is shutting down.' : await whyNot(health)
    if (reason === undefined) sendJson(exchange, 200, { status: 'ok', ...(await without(health)) }, notCached)
    else sendJson(exchange, 503, { status: 'unavailable', reason }, { ...notCached, 'retry-after': '1' })
  }
}

const whyNot = (health: Health): Promise<string | undefined> =>
  health.ready().catch((error: unknown) => `The check itself failed: ${String(error)}`)

async function without({ absent = {}, lacking }: Health): Promise<object> {
  const lack = await lacking?.()
  return {
    ...(Object.keys(absent).length > 0 && { absent }),
    ...(lack !== undefined && { lacking: lack }),
  }
}
