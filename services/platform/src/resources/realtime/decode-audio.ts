// Sound as it stands in events: base64, of 15 MiB at most. AST-292
import { realtimeErrors } from '../../errors/realtime.ts'

export const maxAppendBytes = 15 * 1024 * 1024

export function decodeAudio(text: string, param: string): Buffer {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const expected = Math.floor(((text.length - padding) * 3) / 4)
  if (expected > maxAppendBytes) throw realtimeErrors.appendTooLarge(maxAppendBytes)
  const bytes = Buffer.from(text, 'base64')
  // What is no base64 is passed over by the decoder: then there is less than there should be.
  if (bytes.length !== expected || (text.length - padding) % 4 === 1) throw realtimeErrors.invalidBase64(param)
  return bytes
}
