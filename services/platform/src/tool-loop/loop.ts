// The one loop of model and tools, for runs and for responses: ask the model, make the calls that are ours, ask again
// with their results, until it answers in words or calls what is the caller's to call. What happened is the record's to
// keep, so that the loop can be begun again wherever it was broken off.
import { runFailures } from '../errors/runs.ts'
import { type Answered, askModel } from './ask-model.ts'
import { LoopFailure } from './failure.ts'
import { makeCalls } from './hosted-calls.ts'
import { type Prompt, tooLong } from './prompt.ts'
import type { Loop } from './record.ts'

/** A model that calls tools without end is stopped. */
export const maxTurns = 32

/** Resolves when the work is over, or rests until the caller has done its part. */
export async function workLoop(loop: Loop): Promise<void> {
  const { record } = loop
  for (;;) {
    await makeCalls(loop)
    if (await record.leaveToCaller()) return
    if (record.turns >= maxTurns) throw new LoopFailure('server_error', runFailures.tooManyTurns(maxTurns))
    const prompt = await record.nextPrompt()
    if (prompt === undefined) return
    if (await record.closeTurn(await ask(loop, prompt))) return
  }
}

/** What the model refuses as too long is asked again with less, where less can be asked. */
async function ask(loop: Loop, prompt: Prompt): Promise<Answered> {
  const { inference, contextLengths, caller, model, record, signal, isUrgent, isWhole, isBatch } = loop
  for (;;) {
    try {
      const question = { caller, model, request: prompt.request(), signal, isUrgent, isWhole, isBatch }
      return await askModel(inference, question, (piece) => record.add(piece), record.spent)
    } catch (error) {
      const long = tooLong(error)
      if (long === undefined) throw error
      if (long.maxTokens !== undefined) contextLengths.set(model, long.maxTokens)
      if (!prompt.shrink(long)) throw error
    }
  }
}
