// From messages or text to the tokens the model reads.
import { ModelProblem } from '../../problem.ts'
import type { AddonModel } from './addon.ts'
import type { ChatTemplate } from './chat-template.ts'
import { type LengthBound, refuseLetters, refusePrompt, tooLong } from './prompt-length.ts'
import type { ChatPrompt, Prompt, ReadPrompt, TemplateMessage } from './protocol.ts'
import type { Vocabulary } from './vocabulary.ts'

const emptyPrompt = '<|endoftext|>'

/** What of a loaded model it takes to read. */
export interface PromptModel extends LengthBound {
  model: AddonModel
  vocabulary: Vocabulary
  vocabularySize: number
  template: ChatTemplate
}

/** Throws when there is no room left for an answer. */
export function readPrompt(loaded: PromptModel, prompt: Prompt): ReadPrompt {
  refusePrompt(prompt, loaded)
  const read = tokensOf(loaded, prompt)
  if (read.tokens.length < loaded.contextLength) return read
  throw tooLong(loaded.contextLength, read.tokens.length, prompt.kind === 'chat' ? 'messages' : 'prompt', false)
}

/** A longer prediction could not be followed to its end. */
export function predictedTokens({ model, contextLength, longestTokenBytes = 64 }: PromptModel, text: string): number[] {
  return [...model.tokenize(text.slice(0, contextLength * longestTokenBytes), false)]
}

function tokensOf(loaded: PromptModel, prompt: Prompt): ReadPrompt {
  switch (prompt.kind) {
    case 'read':
      return prompt
    case 'text':
      return prompt.suffix === undefined
        ? textTokens(loaded, prompt.text)
        : gapTokens(loaded, prompt.text, prompt.suffix)
    case 'chat':
      return shown(chatTokens(loaded, prompt), 0)
  }
}

const shown = (tokens: number[], from: number, to = tokens.length): ReadPrompt => ({ kind: 'read', tokens, from, to })

function checkedTokens({ vocabularySize }: PromptModel, tokens: number[]): number[] {
  const wrong = tokens.find((token) => token >= vocabularySize)
  if (wrong === undefined) return tokens
  const message = `The prompt has the token ${wrong}, but this model's tokens go from 0 to ${vocabularySize - 1}.`
  throw new ModelProblem(message, { kind: 'invalid', param: 'prompt' })
}

/** The mark of a beginning is the model's, not part of the caller's text. Tokens are taken as they are. */
function textTokens(loaded: PromptModel, text: string | number[]): ReadPrompt {
  if (typeof text !== 'string') return shown(checkedTokens(loaded, text), 0)
  if (text === emptyPrompt || text === '') return shown([startToken(loaded)], 1)
  const own = [...loaded.model.tokenize(text, true)]
  const tokens = withStart(loaded, own)
  return shown(tokens, tokens.length - own.length)
}

/** Models made for filling gaps have marks for what comes before and after. */
function gapTokens(loaded: PromptModel, text: string | number[], after: string): ReadPrompt {
  const { model } = loaded
  const [prefix, suffix, middle] = [model.prefixToken(), model.suffixToken(), model.middleToken()]
  if (prefix < 0 || suffix < 0 || middle < 0) {
    const message = "This model cannot fill a gap: leave out 'suffix', or use a model that was made for it."
    throw new ModelProblem(message, { kind: 'unsupported', param: 'suffix' })
  }
  const before = typeof text === 'string' ? [...model.tokenize(text, false)] : checkedTokens(loaded, text)
  const start = withStart(loaded, [prefix])
  const tokens = [...start, ...before, suffix, ...model.tokenize(after, false), middle]
  return shown(tokens, start.length, start.length + before.length)
}

function chatTokens(loaded: PromptModel, prompt: ChatPrompt): number[] {
  const guarded = guard(prompt.messages, loaded.vocabulary.controlTexts)
  const parts = wordsOf(loaded.template.render({ ...prompt, messages: guarded.messages }), guarded)
  refuseLetters(
    parts.reduce((sum, { words }) => sum + words.length, 0),
    loaded,
    'messages',
  )
  const tokens: number[] = []
  for (const { words, marks } of parts) for (const token of loaded.model.tokenize(words, marks)) tokens.push(token)
  return withStart(loaded, tokens)
}

interface Words {
  words: string
  /** Whether marks that steer the model are read as such. */
  marks: boolean
}

/** Every second part is a message's own words: never read as marks. */
export const wordsOf = (text: string, { border, contents }: Guarded): Words[] =>
  text
    .split(border)
    .map((part, at) =>
      at % 2 === 1 ? { words: contents[Number(part)] ?? '', marks: false } : { words: part, marks: true },
    )

export interface Guarded {
  messages: TemplateMessage[]
  contents: string[]
  border: string
}

/** Contents that hold a control token's text are put in after the template was rendered, between borders. */
export function guard(messages: TemplateMessage[], controlTexts: readonly string[]): Guarded {
  const border = '\u{F8FE}\u{F8FF}'
  const contents: string[] = []
  const guarded = messages.map((message) => {
    const content = message.content.replaceAll(border, '')
    if (!controlTexts.some((text) => content.includes(text))) return { ...message, content }
    contents.push(content)
    return { ...message, content: `${border}${contents.length - 1}${border}` }
  })
  return { messages: guarded, contents, border }
}

function startToken({ model }: PromptModel): number {
  const start = model.tokenBos()
  return start < 0 ? Math.max(0, model.tokenEos()) : start
}

export function withStart(loaded: PromptModel, tokens: number[]): number[] {
  const start = loaded.model.tokenBos()
  if (tokens.length === 0) return [startToken(loaded)]
  return loaded.model.shouldPrependBosToken() && start >= 0 && tokens[0] !== start ? [start, ...tokens] : tokens
}
