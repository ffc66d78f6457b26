// What a response has used, by kind. Text is counted by the chat model; sound by its length.
import type { ChatUsage } from '@atoll/models/chat'
import { heardTokens, spokenTokens } from '../../inference/sound-tokens.ts'

export class ResponseUsage {
  /** Of sound that this response is the first to answer. */
  heardMs = 0
  spokenMs = 0
  #promptTokens = 0
  #answerTokens = 0
  #cachedTokens = 0

  /** Before the model says how many there really are. */
  estimatePrompt(tokens: number): void {
    this.#promptTokens = tokens
  }

  addStep(usage: ChatUsage | undefined): void {
    if (usage === undefined) {
      this.#answerTokens += 1
      return
    }
    this.#promptTokens = usage.prompt_tokens
    this.#answerTokens = usage.completion_tokens
    this.#cachedTokens = usage.prompt_tokens_details.cached_tokens
  }

  /** AST-197, AST-198, AST-199 */
  shown(): object {
    const heard = heardTokens(this.heardMs)
    const spoken = spokenTokens(this.spokenMs)
    const [input, output] = [this.#promptTokens + heard, this.#answerTokens + spoken]
    return {
      total_tokens: input + output,
      input_tokens: input,
      output_tokens: output,
      input_token_details: {
        cached_tokens: this.#cachedTokens,
        text_tokens: this.#promptTokens,
        audio_tokens: heard,
        cached_tokens_details: { text_tokens: this.#cachedTokens, audio_tokens: 0 },
      },
      output_token_details: { text_tokens: this.#answerTokens, audio_tokens: spoken },
    }
  }
}
