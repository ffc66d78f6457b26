// Turns samples into the bytes of a file, as they come.
import { bytesOf, toInt16 } from '../../audio/samples.ts'
import { wavHeader } from '../../audio/wav.ts'
import { ModelProblem } from '../../problem.ts'
import type { SpeechFormat } from '../../speak.ts'
import { speechRate } from './synthesizer.ts'

export interface SpeechEncoder {
  encode(samples: Float32Array): Promise<Uint8Array>
  end(): Promise<Uint8Array>
}

const nothing = new Uint8Array(0)

export async function createEncoder(format: SpeechFormat): Promise<SpeechEncoder> {
  if (format === 'pcm') return plain(nothing)
  if (format === 'wav') return plain(wavHeader(speechRate))
  throw new ModelProblem(`The format ${format} cannot be written here.`, {
    kind: 'unsupported',
    param: 'response_format',
  })
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
