// Bodies are read as they are: one that was packed is refused before a byte of it is read.
import type { IncomingHttpHeaders } from 'node:http'
import type { ErrorCatalogue } from '../error.ts'

const maxQuotedLetters = 64

export function refuseEncoded(headers: IncomingHttpHeaders, errors: ErrorCatalogue): void {
  const content = headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (content !== 'identity') throw errors.unsupportedContentEncoding(content.slice(0, maxQuotedLetters))
  const transfer = headers['transfer-encoding']?.toLowerCase() ?? 'chunked'
  if (transfer === 'chunked') return
  const quoted = transfer.slice(0, maxQuotedLetters)
  throw errors.badRequest(
    `The transfer encoding '${quoted}' is not supported; send the body as it is, in chunks or not.`,
  )
}
