import type { ChatUsage } from '@atoll/models/chat'

export function sumUsage(usages: readonly ChatUsage[]): ChatUsage {
  const sum = (amount: (usage: ChatUsage) => number): number => usages.reduce((all, usage) => all + amount(usage), 0)
  const prompt = ({ prompt_tokens_details }: ChatUsage) => prompt_tokens_details
  const answer = ({ completion_tokens_details }: ChatUsage) => completion_tokens_details
  return {
    prompt_tokens: sum((usage) => usage.prompt_tokens),
    completion_tokens: sum((usage) => usage.completion_tokens),
    total_tokens: sum((usage) => usage.total_tokens),
    prompt_tokens_details: {
      cached_tokens: sum((usage) => prompt(usage).cached_tokens),
      audio_tokens: sum((usage) => prompt(usage).audio_tokens),
    },
    completion_tokens_details: {
      reasoning_tokens: sum((usage) => answer(usage).reasoning_tokens),
      audio_tokens: sum((usage) => answer(usage).audio_tokens),
      accepted_prediction_tokens: sum((usage) => answer(usage).accepted_prediction_tokens),
      rejected_prediction_tokens: sum((usage) => answer(usage).rejected_prediction_tokens),
    },
  }
}
