// A response worked on while its caller waits, from its first question to its end.
import { failModel } from '../../../inference/fail-model.ts'
import { answerFailure, toFailure } from '../../../tool-loop/failure.ts'
import { workLoop } from '../../../tool-loop/loop.ts'
import type { Prepared, PrepareParts } from '../prepare.ts'
import { noProgress } from '../state.ts'
import { closeOffers } from '../tools/declared-tools.ts'
import { beginWork } from './begin-work.ts'
import type { Journal } from './journal.ts'
import { inRequestWords } from './request-words.ts'
import { ResponseWork } from './response-work.ts'

type Headers = () => Record<string, string>

interface Options {
  /** Whether readers have been told something of it; absent: nobody reads along. */
  isTold?: () => boolean
  known?: (headers: Headers) => void
  isBatch?: boolean
}

/** Where the project stands in its limits, once the model has been asked. */
export async function workOn(
  parts: PrepareParts,
  prepared: Prepared,
  journal: Journal,
  signal: AbortSignal,
  { isTold, known, isBatch = false }: Options = {},
): Promise<Headers> {
  const { caller, head, declared, thread } = prepared
  const { inference, contextLengths } = parts
  const { settings } = head
  const { model } = settings
  const input = {
    ...{ responseId: head.id, caller, settings, thread, declared },
    contextLength: () => contextLengths.get(model),
  }
  const work = new ResponseWork(parts, input, journal, { progress: noProgress, output: [] })
  const headers = (): Record<string, string> => work.spent.headers
  known?.(headers)
  try {
    const tools = await beginWork(parts, work, prepared, signal)
    await workLoop({
      ...{ inference, contextLengths, caller, model, tools, record: work, signal },
      isUrgent: true,
      isWhole: isTold === undefined,
      isBatch,
    })
  } catch (error) {
    if (signal.aborted) failModel(error, signal)
    const failure = isTold?.() === true ? toFailure(error) : undefined
    if (failure === undefined) answerFailure(inRequestWords(error))
    await work.endEarly('failed', { error: failure })
  } finally {
    await closeOffers(declared)
  }
  return headers
}
