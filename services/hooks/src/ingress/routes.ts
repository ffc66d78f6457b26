import { empty, json, type Reply } from '@atoll/kernel/http/reply'
import { z } from 'zod'
import { defineRoute } from '../callers.ts'
import { replyWith } from '../mappings/answer.ts'
import type { HookExchange, Ingress, Received } from './ingress.ts'

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
  // No name at all: 404, but only for those who may know.
  ...[path, `${path}/`].map((nameless) =>
    defineRoute({
      method: 'POST',
      path: nameless,
      auth: 'sender',
      summary: 'No hook: one without a name is not found',
      query: AnyQuery,
      body: 'stream',
      response: 'bytes',
      handler: (exchange) => answer(exchange, ingress.receive(exchange, '')),
    }),
  ),
]

/** 200 for a wake, 202 for a run that is under way (HOOK-087), 204 for what is skipped; or as a mapping says. */
async function answer(exchange: Pick<HookExchange, 'setHeader'>, receiving: Promise<Received>): Promise<Reply> {
  const { accepted, answer: wanted } = await receiving
  if (accepted?.isReplayed) exchange.setHeader('idempotency-replayed', 'true')
  if (wanted !== undefined) return replyWith(wanted)
  if (accepted === undefined || accepted.action === null) return empty(204)
  const { id, action } = accepted
  return action.kind === 'wake' ? json(200, { ok: true, mode: action.mode }) : json(202, { ok: true, runId: id })
}
