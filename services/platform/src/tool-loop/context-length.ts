// How much a model can read, so that no tool gives it more: models of our own tell, others by refusing what is too long.
import type { ProjectCaller } from '../callers.ts'
import type { Inference } from '../inference/inference.ts'

export async function contextLengthOf(
  { inference, contextLengths }: { inference: Inference; contextLengths: Map<string, number> },
  { caller, model }: { caller: ProjectCaller; model: string },
): Promise<number | undefined> {
  const known = contextLengths.get(model)
  if (known !== undefined) return known
  const { port } = await inference.resolve(caller, model, 'chat')
  const told = await port.contextLength?.()
  if (told !== undefined) contextLengths.set(model, told)
  return told
}
