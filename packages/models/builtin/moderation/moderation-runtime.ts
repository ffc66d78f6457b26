// The built-in moderation: texts in all categories, and whether images are sexual. weights/moderation/CARD.md tells
// how good it is.
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Call } from '../../call.ts'
import {
  type ModerationAnswer,
  type ModerationCategory,
  type ModerationInput,
  type ModerationResult,
  moderationCategories,
} from '../../moderate.ts'
import { ModelProblem } from '../../problem.ts'
import type { Runtime } from '../../runtime.ts'
import { Moderator } from './moderator.ts'
import { textScores } from './text-scores.ts'
import { textPieces } from './text-windows.ts'

/** The older generation knows no `illicit` and looks at texts alone. */
type ModerationGeneration = 'omni' | 'text'

export interface ModerationRuntimeOptions {
  log: Log
  generation: ModerationGeneration
}

const modelNames: Record<ModerationGeneration, string> = {
  omni: 'atoll-moderation-1',
  text: 'atoll-moderation-text-1',
}
const flaggedFrom = 0.5
const newCategories: readonly ModerationCategory[] = ['illicit', 'illicit/violent']
const imageCategory = 'sexual'

export function createModerationRuntime(
  { log, generation }: ModerationRuntimeOptions,
  moderator: Moderator = new Moderator({ log }),
): Runtime {
  const moderate = async (inputs: readonly ModerationInput[], call: Call): Promise<ModerationAnswer> => {
    if (generation === 'text' && inputs.some(({ images }) => images.length > 0)) throw noImages()
    const results = await moderator.admit(call, () => judgeAll(inputs, generation, moderator, call))
    return { model: modelNames[generation], results }
  }
  return { moderation: { moderate }, close: () => moderator.close() }
}

/** The pieces of all inputs together: the model works on many at once. */
async function judgeAll(
  inputs: readonly ModerationInput[],
  generation: ModerationGeneration,
  moderator: Moderator,
  call: Call,
): Promise<ModerationResult[]> {
  const pieces = inputs.map(({ texts }) => texts.flatMap(textPieces))
  const scores = await moderator.scoreTexts(pieces.flat(), call)
  const results: ModerationResult[] = []
  let at = 0
  for (const [index, { texts, images }] of inputs.entries()) {
    const count = pieces[index]?.length ?? 0
    const categoryScores = textScores(scores.slice(at, at + count))
    at += count
    for (const image of images) {
      const score = await moderator.scoreImage(image, call)
      categoryScores[imageCategory] = Math.max(categoryScores[imageCategory], score)
    }
    results.push(resultOf(categoryScores, generation, { text: texts.length > 0, image: images.length > 0 }))
  }
  return results
}

/** A category that nothing judged has a score of 0 and no input types. */
function resultOf(
  scores: Record<ModerationCategory, number>,
  generation: ModerationGeneration,
  given: { text: boolean; image: boolean },
): ModerationResult {
  const inputTypes = each((category) => {
    if (generation === 'text' && newCategories.includes(category)) return []
    const types: ('text' | 'image')[] = given.text ? ['text'] : []
    return given.image && category === imageCategory ? [...types, 'image' as const] : types
  })
  const judged = each((category) => (inputTypes[category].length === 0 ? 0 : scores[category]))
  const categories = each((category) => judged[category] >= flaggedFrom)
  return {
    flagged: Object.values(categories).includes(true),
    categories,
    category_scores: judged,
    category_applied_input_types: inputTypes,
  }
}

const each = <Value>(read: (category: ModerationCategory) => Value): Record<ModerationCategory, Value> =>
  Object.fromEntries(moderationCategories.map((category) => [category, read(category)])) as Record<
    ModerationCategory,
    Value
  >

const noImages = (): ModelProblem =>
  new ModelProblem('This model judges texts alone. Use omni-moderation-latest for images.', {
    kind: 'unsupported',
    param: 'input',
  })
