// How many tokens a model would read, without an answer.

import { responseErrors } from '../../errors/responses.ts'
import type { Inference } from '../../inference/inference.ts'
import { answerFailure } from '../../tool-loop/failure.ts'
import type { Prepared } from './prepare.ts'
import { askedOf } from './settings.ts'
import { inRequestWords } from './work/request-words.ts'

export async function countTokens(
  { inference }: { inference: Inference },
  { caller, head: { settings }, thread, declared }: Prepared,
  signal: AbortSignal,
): Promise<number> {
  const { port } = await inference.resolve(caller, settings.model, 'chat')
  if (port.countTokens === undefined) throw responseErrors.cannotCount(settings.model)
  const { instructions } = settings
  const system =
    instructions === null || instructions === '' ? [] : [{ role: 'system' as const, content: instructions }]
  const toolChoice = declared.tools.choice(declared.choice, false)
  const request = {
    ...askedOf(settings),
    messages: [...system, ...thread],
    tools: declared.tools.definitions(),
    toolChoice,
    parallelToolCalls: settings.parallel_tool_calls,
    maxTokens: undefined,
  }
  const call = { signal, turn: caller.projectId }
  return port.countTokens(request, call).catch((error: unknown) => answerFailure(inRequestWords(error)))
}
