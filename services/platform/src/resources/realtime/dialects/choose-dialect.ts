// Which dialect a client speaks: those of 2024 say so in a header or a subprotocol.
import type { IncomingHttpHeaders } from 'node:http'
import type { SessionKind } from '../schema.ts'
import type { Dialect } from './dialect.ts'
import { dialect2024 } from './dialect-2024.ts'
import { laterDialect } from './dialect-later.ts'
import { laterTranscriptions, transcriptions2024 } from './transcriptions.ts'

const betaProtocol = 'openai-beta.realtime-v1'

export function chooseDialect(headers: IncomingHttpHeaders, kind: SessionKind): Dialect {
  const isMarked = isBeta(headers)
  if (kind === 'transcription') return isMarked ? transcriptions2024 : laterTranscriptions
  return isMarked ? dialect2024 : laterDialect
}

export function isBeta(headers: IncomingHttpHeaders): boolean {
  const betas = [headers['openai-beta'], headers['vendor-beta']].flat().flatMap((value) => value?.split(',') ?? [])
  return betas.some((beta) => beta.trim() === 'realtime=v1') || offeredProtocols(headers).includes(betaProtocol)
}

export const offeredProtocols = (headers: IncomingHttpHeaders): string[] =>
  (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
