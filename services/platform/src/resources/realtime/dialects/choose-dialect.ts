// Which dialect a client speaks: those of 2024 say so in a header or a subprotocol.
import type { IncomingHttpHeaders } from 'node:http'
import type { Dialect } from './dialect.ts'
import { dialect2024 } from './dialect-2024.ts'
import { laterDialect } from './dialect-later.ts'

const betaProtocol = 'openai-beta.realtime-v1'

export function chooseDialect(headers: IncomingHttpHeaders): Dialect {
  const betas = [headers['openai-beta'], headers['vendor-beta']].flat().flatMap((value) => value?.split(',') ?? [])
  const isMarked =
    betas.some((beta) => beta.trim() === 'realtime=v1') || offeredProtocols(headers).includes(betaProtocol)
  return isMarked ? dialect2024 : laterDialect
}

export const offeredProtocols = (headers: IncomingHttpHeaders): string[] =>
  (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
