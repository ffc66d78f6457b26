// A conversation as the tokens it is learnt from. The model's own turns count, from where its answer begins to the mark
// that ends it; everything else is only read.
import { ModelProblem } from '../../problem.ts'
import { guard, type PromptModel, withStart, wordsOf } from './prompt-tokens.ts'
import type { ChatPrompt } from './protocol.ts'

export interface TokensToLearn {
  tokens: number[]
  weights: number[]
}

/**
 * `weights`: how much each message counts, 0 for those that are not the assistant's. One sequence; several where the
 * model's template writes a conversation differently as it goes on.
 */
export function trainingTokens(loaded: PromptModel, prompt: ChatPrompt, weights: readonly number[]): TokensToLearn[] {
  const guarded = guard(prompt.messages, loaded.vocabulary.controlTexts)
  const rendered = (count: number, forAnswer: boolean): string =>
    loaded.template.render({ ...prompt, messages: guarded.messages.slice(0, count) }, { forAnswer })
  const tokensOf = (text: string): number[] =>
    wordsOf(text, guarded).flatMap(({ words, marks }) => [...loaded.model.tokenize(words, marks)])

  const finished: TokensToLearn[] = []
  let sequence: TokensToLearn = { tokens: [], weights: [] }
  let done = ''
  const append = (text: string, weightOf: (tokens: readonly number[]) => number[]): void => {
    const tokens = tokensOf(text)
    // Not pushed: a long text has more of them than a call may have arguments.
    sequence.tokens = sequence.tokens.concat(tokens)
    sequence.weights = sequence.weights.concat(weightOf(tokens))
  }
  for (const [index, weight] of weights.entries()) {
    if (weight === 0) continue
    const before = rendered(index, true)
    const after = rendered(index + 1, false)
    if (!after.startsWith(before)) throw differs()
    if (!before.startsWith(done)) {
      finished.push(sequence)
      sequence = { tokens: [], weights: [] }
      done = ''
    }
    append(before.slice(done.length), (tokens) => tokens.map(() => 0))
    append(after.slice(before.length), (tokens) => {
      const end = tokens.findIndex((token) => loaded.vocabulary.isEnd(token))
      return tokens.map((_, at) => (end < 0 || at <= end ? weight : 0))
    })
    done = after
  }
  return [...finished, sequence]
    .filter(({ tokens }) => tokens.length > 0)
    .map(({ tokens, weights: counts }) => {
      const all = withStart(loaded, tokens)
      return { tokens: all, weights: all.length > tokens.length ? [0, ...counts] : counts }
    })
}

function differs(): ModelProblem {
  const message = "The model's chat template writes this answer differently than it asks for one"
  return new ModelProblem(message, { kind: 'invalid', param: 'messages' })
}
