// What each generation of image models takes.
import { imageErrors } from '../../errors/images.ts'
import { type CreateImage, type FormFields, type ImageSize, imageSizes } from './schema.ts'

interface Rules {
  sizes: readonly ImageSize[]
  maxPromptLetters: number
  /** `quality` and `style`. */
  hasLooks: boolean
  oneAtOnce: boolean
  /** Edits and variations. */
  changesImages: boolean
}

const older: Rules = {
  sizes: ['256x256', '512x512', '1024x1024'], // INF-111
  maxPromptLetters: 1_000,
  hasLooks: false, // INF-114
  oneAtOnce: false,
  changesImages: true,
}
const newer: Rules = {
  sizes: ['1024x1024', '1792x1024', '1024x1792'], // INF-112
  maxPromptLetters: 4_000,
  hasLooks: true,
  oneAtOnce: true,
  changesImages: false,
}
/** A model that an operator has named: whatever serves it says what it cannot do. */
const unknown: Rules = {
  sizes: imageSizes,
  maxPromptLetters: 4_000,
  hasLooks: true,
  oneAtOnce: false,
  changesImages: true,
}

function rulesOf(model: string): Rules {
  if (/^dall-e-2\b/.test(model)) return older
  return /^dall-e-3\b/.test(model) ? newer : unknown
}

/** Undefined: the model has none, or its server knows. */
export const defaultStyle = (model: string): 'vivid' | undefined => (rulesOf(model) === newer ? 'vivid' : undefined)

export function checkGeneration({ model, prompt, n, size, quality, style }: CreateImage): void {
  const rules = rulesOf(model)
  checkPrompt(model, prompt, rules)
  checkSize(model, size, rules)
  if (rules.oneAtOnce && n > 1) throw imageErrors.onlyOne(model)
  if (!rules.hasLooks && quality != null) throw imageErrors.onlyNewer('quality', model)
  if (!rules.hasLooks && style != null) throw imageErrors.onlyNewer('style', model)
}

export function checkChange({ model, size }: FormFields, what: 'edits' | 'variations', prompt = ''): void {
  const rules = rulesOf(model)
  if (!rules.changesImages) throw imageErrors.onlyOlder(model, what)
  checkPrompt(model, prompt, rules)
  checkSize(model, size, rules)
}

function checkPrompt(model: string, prompt: string, { maxPromptLetters }: Rules): void {
  if (prompt.length > maxPromptLetters) throw imageErrors.promptTooLong(model, maxPromptLetters, prompt.length)
}

function checkSize(model: string, size: ImageSize, { sizes }: Rules): void {
  if (!sizes.includes(size)) throw imageErrors.size(model, size, sizes)
}
