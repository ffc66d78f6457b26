// Runs the prompts of one request, a few at a time; their choices are numbered through.
import type { Call } from '@atoll/models/call'
import { merge } from '@atoll/models/merge'
import type { TextAnswer, TextDelta, TextModel, TextRequest } from '@atoll/models/text'

/** Enough to keep a model busy; the rest of the prompts wait here and not in its queue. */
const promptsAtOnce = 8

export async function completeAll(
  model: TextModel,
  requests: readonly TextRequest[],
  call: Call,
): Promise<TextAnswer[]> {
  const [only] = requests
  if (only !== undefined && requests.length === 1) return [await model.complete(only, call)]
  const failed = new AbortController()
  const each = { ...call, signal: AbortSignal.any([call.signal, failed.signal]) }
  const answers: TextAnswer[] = []
  const waiting = requests.entries()
  const work = async (): Promise<void> => {
    for (const [index, request] of waiting) {
      each.signal.throwIfAborted()
      answers[index] = numbered(await model.complete(request, each), index * request.choices)
    }
  }
  // The first failure stops the others, and all have stopped when it is told.
  const stopOthers = (error: unknown): never => {
    failed.abort(error)
    throw error
  }
  const ends = await Promise.allSettled(Array.from({ length: promptsAtOnce }, () => work().catch(stopOthers)))
  if (failed.signal.aborted) throw failed.signal.reason
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return answers
}

export async function* streamAll(
  model: TextModel,
  requests: readonly TextRequest[],
  call: Call,
): AsyncGenerator<TextDelta> {
  for (let start = 0; start < requests.length; start += promptsAtOnce) {
    const group = requests.slice(start, start + promptsAtOnce)
    yield* merge(group.map((request, at) => streamOne(model, request, call, (start + at) * request.choices)))
  }
}

async function* streamOne(
  model: TextModel,
  request: TextRequest,
  call: Call,
  firstIndex: number,
): AsyncGenerator<TextDelta> {
  for await (const step of model.stream(request, call)) yield firstIndex === 0 ? step : numbered(step, firstIndex)
}

const numbered = <Step extends { choices: { index: number }[] }>(step: Step, firstIndex: number): Step => ({
  ...step,
  choices: step.choices.map((choice) => ({ ...choice, index: choice.index + firstIndex })),
})
