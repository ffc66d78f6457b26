// Cuts the chunks of files into words, in a thread of its own behind whoever is waited for.
import { parentPort } from 'node:worker_threads'
import { stepBack } from '../turns/step-back.ts'
import type { CutTexts, ToCut } from './word-cutter.ts'

stepBack()
const [{ mapInTurns }, { bagOf }] = await Promise.all([import('../loop-turns.ts'), import('./bag.ts')])

/** Whoever comes with little does not wait for all that others came with before. */
parentPort?.on('message', async ({ id, texts }: ToCut) => {
  const bags = await mapInTurns(texts, ({ text, heading }) => bagOf(text, heading))
  parentPort?.postMessage({ id, bags } satisfies CutTexts)
})
