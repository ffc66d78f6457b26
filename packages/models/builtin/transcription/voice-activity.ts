// How likely somebody speaks, frame by frame: the Silero network. Its card: weights/speech/CARD.md.
import { floats, floatsOf, type Network, wholes } from '../onnx/onnx.ts'
import type { HearingState } from './protocol.ts'
import { openSpeechNetwork } from './speech-network.ts'

/** 32 ms. */
export const frameSamples = 512
const contextSamples = 64
const stateNumbers = 256
const rate = wholes([16_000], [1])

export const firstHearing = (): HearingState => ({
  state: new Float32Array(stateNumbers),
  context: new Float32Array(contextSamples),
})

export class VoiceActivity {
  readonly #network: Network

  constructor(network: Network) {
    this.#network = network
  }

  static async open(): Promise<VoiceActivity> {
    return new VoiceActivity(await openSpeechNetwork('silero-vad.onnx'))
  }

  /** `frame` has `frameSamples` samples. */
  async hear(frame: Float32Array, hearing: HearingState): Promise<{ probability: number; hearing: HearingState }> {
    const input = new Float32Array(contextSamples + frameSamples)
    input.set(hearing.context)
    input.set(frame, contextSamples)
    const output = await this.#network.run({
      input: floats(input, [1, input.length]),
      state: floats(hearing.state, [2, 1, 128]),
      sr: rate,
    })
    return {
      probability: floatsOf(output, 'output')[0] ?? 0,
      hearing: { state: floatsOf(output, 'stateN'), context: input.slice(-contextSamples) },
    }
  }
}
