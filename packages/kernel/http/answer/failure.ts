// Turns whatever was thrown into an error of the service's catalogue.
import { storageProblem } from '../../db/storage-problem.ts'
import { BodyCut, BodyTooLarge, BodyTooSlow } from '../body/body-bytes.ts'
import { HttpError } from '../error.ts'
import type { LiveExchange } from '../exchange.ts'

/** When to ask again. */
const storageRetrySeconds = 2

export function toHttpError(error: unknown, exchange: LiveExchange): HttpError {
  if (error instanceof HttpError) {
    if (error.cause !== undefined) exchange.log.error({ error: error.cause, status: error.status }, 'A request failed')
    return error
  }
  const { errors } = exchange.host.service
  if (error instanceof BodyTooSlow) return errors.bodyTooSlow()
  if (error instanceof BodyTooLarge) return errors.bodyTooLarge(error.maxBytes)
  if (error instanceof BodyCut) return errors.badRequest('The body ended before its announced length.')
  const problem = storageProblem(error)
  if (problem !== undefined) {
    exchange.log.error({ error }, problem === 'full' ? 'The storage is full' : 'The storage is away')
    return problem === 'full' ? errors.storageFull() : errors.unavailable(storageRetrySeconds)
  }
  if (!isBrokenOff(error, exchange)) {
    exchange.log.error({ error, method: exchange.method, path: exchange.path }, 'A request failed')
  }
  return errors.internal(exchange.id)
}

/** Its caller left, and the work ended for that alone: the line of the request tells. */
const isBrokenOff = (error: unknown, { clientLeft }: LiveExchange): boolean =>
  clientLeft && error instanceof Error && error.name === 'AbortError'
