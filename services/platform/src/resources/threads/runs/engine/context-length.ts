// How much a model can read, so that no tool gives it more: models of our own tell, others by refusing what is too long.
import type { RunWork } from './run-work.ts'
import type { WorkParts } from './work-parts.ts'

export async function contextLengthOf(
  { inference, contextLengths }: Pick<WorkParts, 'inference' | 'contextLengths'>,
  { caller, settings: { model } }: Pick<RunWork, 'caller' | 'settings'>,
): Promise<number | undefined> {
  const known = contextLengths.get(model)
  if (known !== undefined) return known
  const { port } = await inference.resolve(caller, model, 'chat')
  const told = await port.contextLength?.()
  if (told !== undefined) contextLengths.set(model, told)
  return told
}
