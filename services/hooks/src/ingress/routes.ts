import { empty, json, type Reply } from '@atoll/kernel/http/reply'
import { z } from 'zod'
import { defineRoute } from '../callers.ts'
import type { Accepted } from '../deliveries/acceptance.ts'
import type { HookExchange, Ingress } from './ingress.ts'

/** Mappings may use any of it. */
const AnyQuery = z.looseObject({})
const MappedParams = z.object({ '*': z.string() })

export const ingressRoutes = (ingress: Ingress, path: string) => [
  defineRoute({
    method: 'POST',
    path: `${path}/wake`,
    auth: 'sender',
    summary: 'Tell the main session of an event',
    query: AnyQuery,
    body: 'stream',
    response: 'bytes',
    handler: (exchange) => answer(exchange, ingress.receive(exchange, 'wake')),
  }),
  defineRoute({
    method: 'POST',
    path: `${path}/agent`,
    auth: 'sender',
    summary: 'Run an agent turn of its own',
    query: AnyQuery,
    body: 'stream',
    response: 'bytes',
    handler: (exchange) => answer(exchange, ingress.receive(exchange, 'agent')),
  }),
  defineRoute({
    method: 'POST',
    path: `${path}/*`,
    auth: 'sender',
    summary: 'A mapped hook: what it does is configured',
    params: MappedParams,
    query: AnyQuery,
    body: 'stream',
    response: 'bytes',
    handler: (exchange) => answer(exchange, ingress.receive(exchange, exchange.params['*'].replace(/^\/+|\/+$/g, ''))),
  }),
]

/** 200 for a wake, 202 for a run that is under way (HOOK-087), 204 for what a transform said to skip. */
async function answer(exchange: Pick<HookExchange, 'setHeader'>, accepting: Promise<Accepted>): Promise<Reply> {
  const { id, action, isReplayed } = await accepting
  if (isReplayed) exchange.setHeader('idempotency-replayed', 'true')
  if (action === null) return empty(204)
  return action.kind === 'wake' ? json(200, { ok: true, mode: action.mode }) : json(202, { ok: true, runId: id })
}
