// How many tokens a model would read, without an answer.

import { responseErrors } from '../../errors/responses.ts'
import type { Inference } from '../../inference/inference.ts'
import { answerFailure } from '../../tool-loop/failure.ts'
import type { Prepared } from './prepare.ts'
import { askedOf } from './settings.ts'
import { closeOffers, type DeclaredTools, withListed } from './tools/declared-tools.ts'
import { listOf } from './tools/mcp/offer.ts'
import { inRequestWords } from './work/request-words.ts'

export async function countTokens(
  { inference }: { inference: Inference },
  { caller, head: { settings }, thread, declared }: Prepared,
  signal: AbortSignal,
): Promise<number> {
  const { port } = await inference.resolve(caller, settings.model, 'chat', 'v1/responses')
  if (port.countTokens === undefined) throw responseErrors.cannotCount(settings.model)
  const { instructions } = settings
  const system =
    instructions === null || instructions === '' ? [] : [{ role: 'system' as const, content: instructions }]
  const { tools } = await listedFor(declared, signal)
  const toolChoice = tools.choice(declared.choice, false)
  const request = {
    ...askedOf(settings),
    messages: [...system, ...thread],
    tools: tools.definitions(),
    toolChoice,
    parallelToolCalls: settings.parallel_tool_calls,
    maxTokens: undefined,
  }
  const call = { signal, turn: caller.projectId }
  return port.countTokens(request, call).catch((error: unknown) => answerFailure(inRequestWords(error)))
}

async function listedFor(declared: DeclaredTools, signal: AbortSignal): Promise<DeclaredTools> {
  try {
    for (const offer of declared.offers) if (!offer.isListed) await listOf(offer, signal)
    return withListed(declared)
  } finally {
    await closeOffers(declared)
  }
}
