// The prompt of a hook's own turn.
import type { AgentAction, Trust } from '../../actions.ts'
import { notice, wrap } from './wrapper.ts'

export interface HookPrompt {
  action: Pick<AgentAction, 'message' | 'name'>
  source: string
  trust: Trust
  /** The mapping wants it without a wrapper. HOOK-013 */
  isUnsafe: boolean
  receivedAt: number
  marker: string
}

export function hookPrompt({ action, source, trust, isUnsafe, receivedAt, marker }: HookPrompt): string {
  const { name, message } = action
  if (trust === 'operator' || isUnsafe) return message
  return [
    notice(marker),
    '',
    `A hook was received at ${new Date(receivedAt).toISOString()}.`,
    wrap({ source, name, content: message }, marker),
  ].join('\n')
}
