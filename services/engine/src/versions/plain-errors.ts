// Errors as they were before 1.24: one line of text.
import { HttpError } from '@atoll/kernel/http/error'

export const jsonErrorsSince = '1.24'

export const inPlainText = ({ status, message, headers }: HttpError): HttpError =>
  new HttpError(status, message, `${message}\n`, headers)
