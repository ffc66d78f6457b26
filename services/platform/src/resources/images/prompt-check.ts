// Whether a prompt may be drawn: the built-in moderation judges it.
import type { Call } from '@atoll/models/call'
import type { Runtimes } from '@atoll/models/runtimes'
import { imageErrors } from '../../errors/images.ts'

const runtimeName = 'builtin-moderation'

export async function checkPrompt(runtimes: Runtimes, prompt: string, call: Call): Promise<void> {
  const { moderation } = (await runtimes.get(runtimeName)) ?? {}
  if (moderation === undefined) throw new Error(`The runtime ${runtimeName} judges no texts.`)
  const { results } = await moderation.moderate([{ texts: [prompt], images: [] }], call)
  if (results.some(({ flagged }) => flagged)) throw imageErrors.contentPolicy()
}
