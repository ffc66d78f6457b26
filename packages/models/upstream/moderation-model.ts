// Moderation by a model server: texts in one request, and a request for each input that has images.
import type { Call } from '../call.ts'
import {
  type ModerationAnswer,
  type ModerationCategory,
  type ModerationInput,
  type ModerationModel,
  type ModerationResult,
  moderationCategories,
} from '../moderate.ts'
import { ModelProblem } from '../problem.ts'
import { textOr } from './choice.ts'
import { isObject } from './error-body.ts'
import { senseless } from './problems.ts'
import type { Server } from './server.ts'

/** How files of these kinds begin. */
const signatures: readonly [mime: string, begins: string][] = [
  ['image/png', '\x89PNG'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF8'],
  ['image/webp', 'RIFF'],
]

export class UpstreamModeration implements ModerationModel {
  readonly #server: Server
  readonly #model: string

  constructor(server: Server, model: string) {
    this.#server = server
    this.#model = model
  }

  async moderate(inputs: readonly ModerationInput[], call: Call): Promise<ModerationAnswer> {
    if (inputs.every(isOneText))
      return this.#ask(
        inputs.map(({ texts }) => texts[0]),
        inputs,
        call,
      )
    const results: ModerationResult[] = []
    let model = this.#model
    // One after the other: a caller with many images takes one connection, not all.
    for (const input of inputs) {
      const answer = await this.#ask(partsOf(input), [input], call)
      model = answer.model
      results.push(...answer.results)
    }
    return { model, results }
  }

  async #ask(input: unknown, inputs: readonly ModerationInput[], call: Call): Promise<ModerationAnswer> {
    const { json } = await this.#server.ask('/moderations', { model: this.#model, input }, call)
    if (!isObject(json) || !Array.isArray(json.results)) throw senseless('sent an answer without results')
    if (json.results.length !== inputs.length) throw senseless('sent another number of results than inputs')
    const results = json.results.map((result, at) => readResult(result, inputs[at]))
    return { model: textOr(json.model, this.#model), results }
  }
}

const isOneText = ({ texts, images }: ModerationInput): boolean => texts.length === 1 && images.length === 0

const partsOf = ({ texts, images }: ModerationInput): object[] => [
  ...texts.map((text) => ({ type: 'text', text })),
  ...images.map((image) => ({ type: 'image_url', image_url: { url: dataUrl(image) } })),
]

function dataUrl(image: Uint8Array): string {
  const bytes = Buffer.from(image.buffer, image.byteOffset, image.byteLength)
  const mime = signatures.find(([, begins]) => bytes.toString('latin1', 0, begins.length) === begins)?.[0]
  if (!mime) {
    const message = 'The image is none of PNG, JPEG, GIF and WebP.'
    throw new ModelProblem(message, { kind: 'invalid', param: 'input' })
  }
  return `data:${mime};base64,${bytes.toString('base64')}`
}

/** Older models know fewer categories: those are never found. */
function readResult(given: unknown, input: ModerationInput | undefined): ModerationResult {
  if (!isObject(given) || !isObject(given.category_scores)) throw senseless('sent a result without scores')
  const scores = given.category_scores
  const found = isObject(given.categories) ? given.categories : {}
  const applied = isObject(given.category_applied_input_types) ? given.category_applied_input_types : undefined
  const kinds: ('text' | 'image')[] = []
  if (input && input.texts.length > 0) kinds.push('text')
  if (input && input.images.length > 0) kinds.push('image')
  const typesOf = (category: ModerationCategory): ('text' | 'image')[] => {
    if (typeof scores[category] !== 'number') return []
    const types = applied?.[category]
    return Array.isArray(types) ? kinds.filter((kind) => types.includes(kind)) : kinds
  }
  const categories = each((category) => found[category] === true)
  return {
    flagged: typeof given.flagged === 'boolean' ? given.flagged : Object.values(categories).includes(true),
    categories,
    category_scores: each((category) => (typeof scores[category] === 'number' ? scores[category] : 0)),
    category_applied_input_types: each(typesOf),
  }
}

const each = <Value>(read: (category: ModerationCategory) => Value): Record<ModerationCategory, Value> =>
  Object.fromEntries(moderationCategories.map((category) => [category, read(category)])) as Record<
    ModerationCategory,
    Value
  >
