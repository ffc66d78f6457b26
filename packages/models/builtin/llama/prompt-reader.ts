// Long prompts are made tokens by a process of their own: the model's goes on with everybody's answers meanwhile.
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Call } from '../../call.ts'
import { SharedModel } from '../../process/shared-model.ts'
import type { ModelFacts } from './model-facts.ts'
import { readingWeight, refusePrompt } from './prompt-length.ts'
import type { ReadAnswer, ReadQuestion } from './prompt-reader-process.ts'
import type { GenerateOptions, Prompt } from './protocol.ts'

const entry = new URL('./prompt-reader-process.ts', import.meta.url)
const idleMs = 60_000

/** In letters of plain text: what the model's own process reads in a few milliseconds. */
const shortWeight = 16_384

/** What `generate` is told of it. */
export type Reading = Pick<GenerateOptions, 'prompt' | 'prediction'>

interface PromptReaderOptions {
  facts(): Promise<ModelFacts>
  maxWaiting: number
  log: Log
}

export class PromptReader {
  readonly #facts: PromptReaderOptions['facts']
  readonly #process: SharedModel<ReadQuestion, ReadAnswer>

  constructor({ facts, maxWaiting, log }: PromptReaderOptions) {
    this.#facts = facts
    this.#process = new SharedModel({
      entry,
      what: 'The reader of long prompts',
      args: async () => [JSON.stringify((await facts()).load)],
      // Beside it the model computes everybody's answers.
      isUnhurried: true,
      places: 2,
      maxWaiting,
      idleMs,
      log,
    })
  }

  /** As the model's process is to get it for each of so many answers. Throws when it cannot fit. */
  async read(prompt: Prompt, prediction: string | undefined, answers: number, call: Call): Promise<Reading> {
    const { load, info } = await this.#facts()
    refusePrompt(prompt, { ...load, longestTokenBytes: info.longestTokenBytes })
    const weight = readingWeight(prompt) + (prediction?.length ?? 0)
    if (weight * answers <= shortWeight) return { prompt, prediction }
    return this.#process.ask({ prompt, prediction }, call)
  }

  /** How many tokens it has. Throws when it cannot fit. */
  async count(prompt: Prompt, call: Call): Promise<number> {
    const { load, info } = await this.#facts()
    refusePrompt(prompt, { ...load, longestTokenBytes: info.longestTokenBytes })
    return (await this.#process.ask({ prompt, prediction: undefined }, call)).prompt.tokens.length
  }

  close(): Promise<void> {
    return this.#process.close()
  }
}
