// A port of another server under an id of ours: its answers and refusals name what the caller asked for.
import { ModelProblem } from '@atoll/models/problem'

interface Ids {
  theirs: string
  own: string
}

export function underOwnId<Port extends object>(port: Port, ids: Ids): Port {
  return new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...given: unknown[]): unknown => {
        const answer: unknown = Reflect.apply(value, target, given)
        return isStream(answer) ? pieces(answer, ids) : whole(answer, ids)
      }
    },
  })
}

const isStream = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

async function whole(answer: unknown, ids: Ids): Promise<unknown> {
  try {
    return named(await answer, ids)
  } catch (error) {
    throw refusal(error, ids)
  }
}

async function* pieces(stream: AsyncIterable<unknown>, ids: Ids): AsyncGenerator<unknown> {
  try {
    for await (const piece of stream) yield named(piece, ids)
  } catch (error) {
    throw refusal(error, ids)
  }
}

const named = (answer: unknown, { own }: Ids): unknown =>
  typeof answer === 'object' && answer !== null && 'model' in answer ? { ...answer, model: own } : answer

function refusal(error: unknown, { theirs, own }: Ids): unknown {
  if (!(error instanceof ModelProblem) || error.detail.kind !== 'upstream' || !error.detail.error) return error
  const told = error.detail.error
  const detail = { ...error.detail, error: { ...told, message: told.message.replaceAll(theirs, own) } }
  return new ModelProblem(error.message, detail, { cause: error })
}
