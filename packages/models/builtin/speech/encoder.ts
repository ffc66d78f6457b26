// Turns samples into the bytes of a file, as they come.
import { bytesOf, toInt16 } from '../../audio/samples.ts'
import { wavHeader } from '../../audio/wav.ts'
import { createAvEncoder } from './av-encoder.ts'
import type { WrittenFormat } from './protocol.ts'
import type { SpeechEncoder } from './speech-encoder.ts'
import { speechRate } from './speech-rate.ts'

const nothing = new Uint8Array(0)

export async function createEncoder(format: WrittenFormat): Promise<SpeechEncoder> {
  if (format === 'pcm') return plain(nothing)
  if (format === 'wav') return plain(wavHeader(speechRate))
  return createAvEncoder(format)
}

function plain(header: Uint8Array): SpeechEncoder {
  let start = header
  return {
    async encode(samples) {
      const bytes = Buffer.concat([start, bytesOf(toInt16(samples))])
      start = nothing
      return bytes
    },
    end: async () => start,
  }
}
