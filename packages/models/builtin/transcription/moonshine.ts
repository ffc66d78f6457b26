// Moonshine tiny: speech in, the text's tokens out, one after the other. Its card: weights/speech/CARD.md.

import { floats, floatsOf, type Network, output, truth, type Values, wholes } from '../onnx/onnx.ts'
import type { ExpectedWords } from './expected-words.ts'
import { pickToken } from './pick-token.ts'
import { openSpeechNetwork } from './speech-network.ts'
import { firstToken, lastToken } from './vocabulary.ts'

const sampleRate = 16_000
/** Nobody says more. A model that begins to repeat itself ends here. */
const tokensPerSecond = 6.5
const fewestTokens = 10
const heads = 8
const headNumbers = 36

/** One slice of the work, so that others have their turns between them. */
export type InSlices = <T>(left: number, work: () => Promise<T>) => Promise<T>

export interface Decoding {
  temperature: number
  expected: ExpectedWords
  inSlices: InSlices
  signal: AbortSignal
}

export class Moonshine {
  readonly #encoder: Network
  readonly #decoder: Network
  readonly #pastNames: string[]

  constructor(encoder: Network, decoder: Network) {
    this.#encoder = encoder
    this.#decoder = decoder
    this.#pastNames = decoder.inputNames.filter((name) => name.startsWith('past_key_values'))
  }

  static async open(): Promise<Moonshine> {
    return new Moonshine(
      await openSpeechNetwork('moonshine-encoder.onnx'),
      await openSpeechNetwork('moonshine-decoder.onnx'),
    )
  }

  /** The tokens with their log probabilities; that of the end comes last. */
  async decode(samples: Float32Array, options: Decoding): Promise<{ tokens: number[]; logprobs: number[] }> {
    const { temperature, expected, inSlices, signal } = options
    const most = Math.ceil((samples.length / sampleRate) * tokensPerSecond) + fewestTokens
    const encoded = await inSlices(most, () =>
      this.#encoder.run({ input_values: floats(samples, [1, samples.length]) }),
    )
    const heard = output(encoded, 'last_hidden_state')
    const past = this.#emptyPast()
    const tokens: number[] = []
    const logprobs: number[] = []
    for (let step = 0, token = firstToken; step < most; step++) {
      signal.throwIfAborted()
      const computed = await inSlices(most - step, () =>
        this.#decoder.run({
          input_ids: wholes([token], [1, 1]),
          encoder_hidden_states: heard,
          use_cache_branch: truth(step > 0),
          ...past,
        }),
      )
      const picked = pickToken(floatsOf(computed, 'logits'), temperature, expected.after(tokens))
      logprobs.push(picked.logprob)
      if (picked.token === lastToken) break
      token = picked.token
      tokens.push(token)
      this.#remember(past, computed, step)
    }
    return { tokens, logprobs }
  }

  #emptyPast(): Values {
    const nothing = (): Values[string] => floats(new Float32Array(0), [1, heads, 0, headNumbers])
    return Object.fromEntries(this.#pastNames.map((name) => [name, nothing()]))
  }

  /** What it knows of the sound is computed in the first step alone. */
  #remember(past: Values, computed: Values, step: number): void {
    for (const name of this.#pastNames) {
      if (step > 0 && name.includes('.encoder.')) continue
      past[name] = output(computed, name.replace('past_key_values', 'present'))
    }
  }
}
