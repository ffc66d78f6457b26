// From messages or text to the tokens the model reads.
import { ModelProblem } from '../../problem.ts'
import type { Loaded } from './loaded-model.ts'
import type { ChatPrompt, Prompt, TemplateMessage } from './protocol.ts'

const emptyPrompt = '<|endoftext|>'

export function promptTokens(loaded: Loaded, prompt: Prompt): number[] {
  switch (prompt.kind) {
    case 'tokens':
      return checkedTokens(loaded, prompt.tokens)
    case 'text':
      return prompt.suffix === undefined
        ? textTokens(loaded, prompt.text)
        : gapTokens(loaded, prompt.text, prompt.suffix)
    case 'chat':
      return chatTokens(loaded, prompt)
  }
}

function checkedTokens({ vocabularySize }: Loaded, tokens: number[]): number[] {
  const wrong = tokens.find((token) => token >= vocabularySize)
  if (wrong === undefined) return tokens
  const message = `The prompt has the token ${wrong}, but this model's tokens go from 0 to ${vocabularySize - 1}.`
  throw new ModelProblem(message, { kind: 'invalid', param: 'prompt' })
}

function textTokens(loaded: Loaded, text: string): number[] {
  const { model } = loaded
  if (text === emptyPrompt || text === '') return [startToken(loaded)]
  return withStart(loaded, [...model.tokenize(text, true)])
}

/** Models made for filling gaps have marks for what comes before and after. */
function gapTokens(loaded: Loaded, before: string, after: string): number[] {
  const { model } = loaded
  const [prefix, suffix, middle] = [model.prefixToken(), model.suffixToken(), model.middleToken()]
  if (prefix < 0 || suffix < 0 || middle < 0) {
    const message = "This model cannot fill a gap: leave out 'suffix', or use a model that was made for it."
    throw new ModelProblem(message, { kind: 'unsupported', param: 'suffix' })
  }
  return [prefix, ...model.tokenize(before, false), suffix, ...model.tokenize(after, false), middle]
}

function chatTokens(loaded: Loaded, prompt: ChatPrompt): number[] {
  const guarded = guard(prompt.messages, loaded.vocabulary.controlTexts)
  const text = render(loaded, { ...prompt, messages: guarded.messages })
  const tokens: number[] = []
  for (const [index, part] of text.split(guarded.border).entries()) {
    // Every second part is a message's own words: never read as marks that steer the model.
    const isContent = index % 2 === 1
    const words = isContent ? (guarded.contents[Number(part)] ?? '') : part
    for (const token of loaded.model.tokenize(words, !isContent)) tokens.push(token)
  }
  return withStart(loaded, tokens)
}

interface Guarded {
  messages: TemplateMessage[]
  contents: string[]
  border: string
}

/** Contents that hold a control token's text are put in after the template was rendered, between borders. */
function guard(messages: TemplateMessage[], controlTexts: readonly string[]): Guarded {
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

function render(loaded: Loaded, { messages, tools, responseSchema }: ChatPrompt): string {
  const { model } = loaded
  const renderer = new loaded.addon.AddonJinjaRenderer(loaded.template)
  const values = {
    tools,
    response_schema: responseSchema,
    add_generation_prompt: true,
    bos_token: tokenText(loaded, model.tokenBos()),
    eos_token: tokenText(loaded, model.tokenEos()),
  }
  try {
    return renderer.render({ ...values, messages })
  } catch (first) {
    // Some templates know no system role: its words then open the first message.
    const merged = withoutSystem(messages)
    if (merged === undefined) throw refused(first)
    try {
      return renderer.render({ ...values, messages: merged })
    } catch {
      throw refused(first)
    }
  }
}

function withoutSystem([system, next, ...rest]: TemplateMessage[]): TemplateMessage[] | undefined {
  if (system?.role !== 'system') return undefined
  if (next === undefined) return [{ ...system, role: 'user' }]
  if (next.role !== 'user') return [{ ...system, role: 'user' }, next, ...rest]
  return [{ ...next, content: `${system.content}\n\n${next.content}` }, ...rest]
}

const refused = (cause: unknown): ModelProblem =>
  new ModelProblem(
    `The model's chat template does not accept these messages: ${(cause as Error).message.slice(0, 200)}`,
    { kind: 'invalid', param: 'messages' },
    { cause },
  )

const tokenText = ({ model }: Loaded, token: number): string => (token < 0 ? '' : model.getTokenString(token))

function startToken({ model }: Loaded): number {
  const start = model.tokenBos()
  return start < 0 ? Math.max(0, model.tokenEos()) : start
}

function withStart(loaded: Loaded, tokens: number[]): number[] {
  const start = loaded.model.tokenBos()
  if (tokens.length === 0) return [startToken(loaded)]
  return loaded.model.shouldPrependBosToken() && start >= 0 && tokens[0] !== start ? [start, ...tokens] : tokens
}
