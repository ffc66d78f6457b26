// Turns whatever was thrown into an error of the service's catalogue.
import { BodyCut, BodyTooLarge, BodyTooSlow } from './body-bytes.ts'
import { HttpError } from './error.ts'
import type { LiveExchange } from './exchange.ts'

export function toHttpError(error: unknown, exchange: LiveExchange): HttpError {
  if (error instanceof HttpError) {
    if (error.cause !== undefined) exchange.log.error({ error: error.cause, status: error.status }, 'A request failed')
    return error
  }
  const { errors, maxJsonBytes } = exchange.host.service
  if (error instanceof BodyTooSlow) return errors.bodyTooSlow()
  if (error instanceof BodyTooLarge) return errors.bodyTooLarge(maxJsonBytes)
  if (error instanceof BodyCut) return errors.badRequest('The body ended before its announced length.')
  if (isStorageFull(error)) {
    exchange.log.error({ error }, 'The storage is full')
    return errors.storageFull()
  }
  exchange.log.error({ error, method: exchange.method, path: exchange.path }, 'A request failed')
  return errors.internal(exchange.id)
}

const isStorageFull = (error: unknown): boolean => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ENOSPC' || code === 'EDQUOT'
}
