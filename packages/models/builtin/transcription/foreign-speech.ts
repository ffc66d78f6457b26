// Speech in a language that the model does not know: it writes English words all the same, but it is not sure of them.
// The figures are those of weights/speech/CARD.md.
import { ModelProblem } from '../../problem.ts'
import type { SpokenSegment, TranscribeRequest } from '../../transcribe.ts'

/** Fewer tokens tell nothing. */
const fewestTokens = 8
const enoughTokens = 12
/** Of the mean log probability: people and voices that speak English lie above, others below. */
const leastOfFew = -0.6
const leastOfMany = -0.5

/** Holds back what was written down until it is known to be worth reading. */
export class ForeignSpeech {
  readonly #task: TranscribeRequest['task']
  #isKnown: boolean
  #held: SpokenSegment[] = []
  #tokens = 0
  #sum = 0

  constructor({ language, task }: Pick<TranscribeRequest, 'language' | 'task'>) {
    this.#task = task
    // Whoever says that it is English is believed.
    this.#isKnown = language !== undefined
  }

  /** What can be told by now. Throws when it is no English. */
  add(segment: SpokenSegment): SpokenSegment[] {
    if (this.#isKnown) return [segment]
    this.#held.push(segment)
    // The end of a segment is a token too.
    const tokens = segment.tokens.length + 1
    this.#tokens += tokens
    this.#sum += segment.avgLogprob * tokens
    return this.#tokens >= enoughTokens ? this.end() : []
  }

  /** The rest, when nothing more comes. */
  end(): SpokenSegment[] {
    const mean = this.#sum / Math.max(1, this.#tokens)
    const least = this.#tokens >= enoughTokens ? leastOfMany : leastOfFew
    if (!this.#isKnown && this.#tokens >= fewestTokens && mean < least) throw notEnglish(this.#task, mean)
    this.#isKnown = true
    return this.#held.splice(0)
  }
}

function notEnglish(task: TranscribeRequest['task'], mean: number): ModelProblem {
  const hint = task === 'translate' ? '' : ' If it is English after all, set `language` to en.'
  return new ModelProblem(
    `This does not sound like English, which is all that the built-in transcription model understands: its words would be guesses (mean log probability ${mean.toFixed(2)}).${hint} For other languages, put an upstream that knows them behind this model in the configuration.`,
    { kind: 'unsupported', param: task === 'translate' ? 'file' : 'language' },
  )
}
