// Sound as tokens, the way the hosted service counts it: one for each tenth of a second heard and twentieth spoken.
import type { ChatUsage } from '@atoll/models/chat'

const heardMsPerToken = 100
const spokenMsPerToken = 50

export const heardTokens = (ms: number): number => Math.ceil(ms / heardMsPerToken)
export const spokenTokens = (ms: number): number => Math.ceil(ms / spokenMsPerToken)

/** What a chat used in text, with what was heard and spoken around it. */
export function withSound(usage: ChatUsage, { heardMs, spokenMs }: { heardMs: number; spokenMs: number }): ChatUsage {
  const [heard, spoken] = [heardTokens(heardMs), spokenTokens(spokenMs)]
  return {
    ...usage,
    prompt_tokens: usage.prompt_tokens + heard,
    completion_tokens: usage.completion_tokens + spoken,
    total_tokens: usage.total_tokens + heard + spoken,
    prompt_tokens_details: { ...usage.prompt_tokens_details, audio_tokens: heard },
    completion_tokens_details: { ...usage.completion_tokens_details, audio_tokens: spoken },
  }
}

/** The text alone: where other models heard and spoke, their calls are counted as such. */
export function withoutSound(usage: ChatUsage): ChatUsage {
  const { audio_tokens: heard } = usage.prompt_tokens_details
  const { audio_tokens: spoken } = usage.completion_tokens_details
  return {
    ...usage,
    prompt_tokens: usage.prompt_tokens - heard,
    completion_tokens: usage.completion_tokens - spoken,
    total_tokens: usage.total_tokens - heard - spoken,
  }
}
