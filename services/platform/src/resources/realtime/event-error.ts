// What went wrong, as `error` events and failed responses tell it.
import { HttpError } from '@atoll/kernel/http/error'
import type { Log } from '@atoll/kernel/telemetry/log'
import { ModelProblem } from '@atoll/models/problem'
import { realtimeErrors } from '../../errors/realtime.ts'
import { answerModelProblem } from '../../inference/problem-answer.ts'
import type { EventError } from './events.ts'

/** What the caller cannot be told stays in the log. */
export function eventError(error: unknown, log: Log): EventError {
  const known = error instanceof ModelProblem ? answerOf(error) : error
  if (!(known instanceof HttpError)) {
    log.error({ error }, 'A realtime session failed')
    return eventError(realtimeErrors.failed(), log)
  }
  if (known.status >= 500) log.warn({ error: known.cause ?? known }, 'A realtime session could not go on as asked')
  const { type, code, message, param } = (known.body as { error: EventError }).error
  return { type, code, message, param }
}

function answerOf(problem: ModelProblem): unknown {
  try {
    return answerModelProblem(problem)
  } catch (error) {
    return error
  }
}
