// Moderation: whether texts and images are harmful, and in which way.
import type { Ids } from '@atoll/kernel/ids/ids'
import type { ModerationInput, ModerationResult } from '@atoll/models/moderate'
import type { ProjectCaller } from '../../callers.ts'
import { inferenceErrors } from '../../errors/errors.ts'
import type { Inference } from '../../inference/inference.ts'
import { answerModelProblem } from '../../inference/problem-answer.ts'
import { imageOf } from './image-url.ts'
import { type CreateModeration, type InputPart, type Moderation, maxImages, maxLettersInAll } from './schema.ts'

const charactersPerToken = 4
/** Models of the older generation keep its shape: no `illicit`, no input types. INF-125, INF-128 */
const olderModels = /^text-moderation-/

interface Parts {
  inference: Inference
  ids: Ids
}

export interface CreatedModeration {
  moderation: Moderation
  /** Where the project stands with its limits. */
  headers: Record<string, string>
}

export class Moderations {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The signal says that nobody waits for the answer any more. */
  async create(caller: ProjectCaller, request: CreateModeration, signal: AbortSignal): Promise<CreatedModeration> {
    const { inference, ids } = this.#parts
    const inputs = inputsOf(request.input)
    const letters = inputs.reduce((sum, { texts }) => sum + texts.reduce((all, { length }) => all + length, 0), 0)
    if (letters > maxLettersInAll) throw tooLong(letters)
    const model = await inference.resolve(caller, request.model, 'moderation')
    const tokens = Math.ceil(letters / charactersPerToken)
    const call = await inference.meter(caller, model, { operation: 'moderations', tokens })
    try {
      const answer = await model.port.moderate(inputs, { signal, turn: caller.projectId })
      call.finish({ model: answer.model, input: tokens, cachedInput: 0, output: 0 })
      const results = olderModels.test(model.id) ? answer.results.map(olderResult) : answer.results
      return { moderation: { id: ids.next('modr-'), model: answer.model, results }, headers: call.headers }
    } catch (error) {
      call.abandon()
      return answerModelProblem(error)
    }
  }
}

/** One for each string; the parts of a list are judged together. */
function inputsOf(input: CreateModeration['input']): ModerationInput[] {
  if (typeof input === 'string') return [{ texts: [input], images: [] }]
  const texts = input.filter((entry) => typeof entry === 'string')
  if (texts.length > 0) return texts.map((text) => ({ texts: [text], images: [] }))
  return [inputOf(input.filter((entry) => typeof entry !== 'string'))]
}

function inputOf(parts: readonly InputPart[]): ModerationInput {
  const images: Uint8Array[] = []
  for (const [at, part] of parts.entries()) {
    if (part.type !== 'image_url') continue
    if (images.length === maxImages) {
      throw inferenceErrors.invalid(`Invalid 'input': at most ${maxImages} images are judged in one request.`, 'input')
    }
    images.push(imageOf(part.image_url.url, `input[${at}].image_url.url`))
  }
  return { texts: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])), images }
}

function olderResult({ flagged, categories, category_scores }: ModerationResult) {
  return { flagged, categories: withoutIllicit(categories), category_scores: withoutIllicit(category_scores) }
}

function withoutIllicit<T>(values: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([category]) => !category.startsWith('illicit')))
}

const tooLong = (letters: number): Error =>
  inferenceErrors.invalid(
    `Invalid 'input': its texts have ${letters} characters, and at most ${maxLettersInAll} are judged in one request. Send several requests.`,
    'input',
  )
