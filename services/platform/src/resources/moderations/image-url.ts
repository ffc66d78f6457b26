// The bytes of an image that came as a data: URL.
import { inferenceErrors } from '../../errors/errors.ts'
import { maxImageBytes } from './schema.ts'

const dataUrl = /^data:image\/[a-z0-9.+-]+(;[a-z0-9-]+=[^;,]*)*;base64,/i
const base64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/
const advice = 'Send the image itself as a data: URL, data:image/png;base64,…'

export function imageOf(url: string, param: string): Uint8Array {
  if (/^https?:/i.test(url)) {
    throw inferenceErrors.invalid(
      `Invalid '${param}': this server fetches nothing from other servers. ${advice}`,
      param,
    )
  }
  const head = dataUrl.exec(url)?.[0]
  const body = head === undefined ? '' : url.slice(head.length)
  if (head === undefined || body === '' || !base64.test(body)) {
    throw inferenceErrors.invalid(`Invalid '${param}': it is no image in base64. ${advice}`, param)
  }
  const bytes = Buffer.from(body, 'base64')
  if (bytes.length > maxImageBytes) {
    throw inferenceErrors.invalid(`Invalid '${param}': an image may have at most ${maxImageBytes} bytes.`, param)
  }
  return bytes
}
