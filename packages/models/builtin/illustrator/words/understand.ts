// A prompt with the words that are not known by name understood by their meaning.
import type { Description } from './description.ts'
import { nearestThing } from './nearest.ts'
import { readPrompt } from './read-prompt.ts'
import type { Thing } from './things.ts'

export async function understand(prompt: string): Promise<Description> {
  const first = readPrompt(prompt)
  if (first.unknown.length === 0) return first
  const meant = new Map<string, Thing>()
  for (const word of first.unknown) {
    const thing = await nearestThing(word)
    if (thing !== undefined) meant.set(word, thing)
  }
  return meant.size === 0 ? first : readPrompt(prompt, meant)
}
