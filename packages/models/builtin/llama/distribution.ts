// Log probabilities as the model gives them, before temperature, penalties or any constraint bend them.
import type { AddonSampler } from './addon.ts'
import type { Loaded } from './loaded-model.ts'
import type { PieceLogprob } from './protocol.ts'

/** What cannot be told from zero. */
const least = -9999

export class Distribution {
  readonly #loaded: Loaded
  readonly #neutral: AddonSampler
  readonly #top: number

  constructor(loaded: Loaded, top: number) {
    this.#loaded = loaded
    this.#top = top
    this.#neutral = new loaded.addon.AddonSampler(loaded.model)
    this.#neutral.applyConfig({ temperature: 0, seed: 0 })
  }

  async of(output: number, token: number): Promise<PieceLogprob> {
    const { context, vocabulary } = this.#loaded
    const count = Math.max(1, this.#top)
    const filter: Parameters<typeof context.sampleToken>[4] = [[token], false, false, false, count]
    const [, , , logits, weight] = await context.sampleToken(output, this.#neutral, false, false, filter, true)
    const pairs = Array.from({ length: logits.length / 2 }, (_, at) => ({
      token: logits[2 * at] as number,
      logit: logits[2 * at + 1] as number,
    }))
    const highest = pairs[0]?.logit ?? 0
    const logprob = (logit: number): number => Math.max(least, logit - highest - Math.log(weight))
    const describe = (id: number, logit: number) => ({
      token: vocabulary.textOf(id),
      bytes: [...vocabulary.bytesOf(id, true)],
      logprob: logprob(logit),
    })
    const own = pairs.findLast((pair) => pair.token === token)
    return {
      ...describe(token, own?.logit ?? Number.NEGATIVE_INFINITY),
      top: pairs.slice(0, this.#top).map((pair) => describe(pair.token, pair.logit)),
    }
  }

  dispose(): void {
    this.#neutral.dispose()
  }
}
