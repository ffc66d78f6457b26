// Adds up what the generations of one request used. The prompt counts once, however many answers it had.
import type { ChatUsage } from '../../chat.ts'
import type { GenerationEvent } from './llama-engine.ts'

export class UsageCount {
  #prompt: { tokens: number; cached: number } | undefined
  #completion = 0
  #accepted = 0
  #rejected = 0

  add(event: GenerationEvent): void {
    if (event.type === 'started') this.#prompt ??= { tokens: event.promptTokens, cached: event.cachedTokens }
    if (event.type !== 'finished') return
    // Rejected predictions count as generated, as the hosted service counts them.
    this.#completion += event.completionTokens + event.rejectedPrediction
    this.#accepted += event.acceptedPrediction
    this.#rejected += event.rejectedPrediction
  }

  total(): ChatUsage {
    const { tokens, cached } = this.#prompt ?? { tokens: 0, cached: 0 }
    return {
      prompt_tokens: tokens,
      completion_tokens: this.#completion,
      total_tokens: tokens + this.#completion,
      prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 0,
        audio_tokens: 0,
        accepted_prediction_tokens: this.#accepted,
        rejected_prediction_tokens: this.#rejected,
      },
    }
  }
}
