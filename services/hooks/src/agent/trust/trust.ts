// How far a turn may be trusted: as far as the least trusted thing that it shows to the model, ever before or now.
import type { Trust } from '../../actions.ts'

export function leastTrusted(...trusts: readonly Trust[]): Trust {
  return trusts.includes('external') ? 'external' : 'operator'
}

/** Whether something allowed from `least` on may be used by content of this trust. */
export const admits = (least: Trust, trust: Trust): boolean => least === 'external' || trust === 'operator'
