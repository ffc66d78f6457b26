// Which model and how much thinking a turn gets.
import { ActionProblem } from '../ports.ts'
import { type AgentDefaults, type ThinkingLevel, thinkingLevels } from './config.ts'

type Settings = Pick<AgentDefaults, 'model' | 'models' | 'thinking'>

/** HOOK-058 to HOOK-062. The name that the platform is asked for. */
export function chooseModel({ model, models }: Settings, wanted: string | undefined): string {
  if (wanted === undefined) return model
  if (models === undefined) return wanted
  const entries = models.map((entry) => (typeof entry === 'string' ? { model: entry } : entry))
  const found = entries.find((entry) => entry.model === wanted || ('alias' in entry && entry.alias === wanted))
  if (found !== undefined) return found.model
  const names = entries.map((entry) =>
    'alias' in entry && entry.alias ? `${entry.alias} (${entry.model})` : entry.model,
  )
  throw new ActionProblem(`model '${wanted}' is not allowed; allowed are: ${names.join(', ') || 'none'}`)
}

export function chooseThinking({ thinking }: Settings, wanted: string | undefined): ThinkingLevel | undefined {
  if (wanted === undefined || wanted === '') return thinking
  const level = thinkingLevels.find((one) => one === wanted.toLowerCase())
  if (level !== undefined) return level
  throw new ActionProblem(`thinking must be ${thinkingLevels.join('|')}`)
}

/** Runs of the platform have no parameter for it, so the model is told in words. HOOK-063 */
const advice: Record<ThinkingLevel, string> = {
  off: 'Answer at once, without any reasoning before the answer.',
  minimal: 'Think as little as possible: a word or two of reasoning at most, then answer.',
  low: 'Think briefly before you answer: one or two steps.',
  medium: 'Think step by step before you answer, and check the result once.',
  high: 'Think thoroughly before you answer: weigh alternatives, work through every step, and check the result twice.',
}

export function instructionsOf(instructions: string, thinking: ThinkingLevel | undefined): string {
  return thinking === undefined ? instructions : `${instructions}\n\nThinking level: ${thinking}. ${advice[thinking]}`
}
