// What an adapter costs while it answers, and what it costs to change adapters.
import { loadPromptModel } from '@atoll/models/builtin/llama/prompt-model'
import { ownChatModel } from '@atoll/models/chat-model'
import type { AtollServer } from '../atoll-server.ts'
import { childSeconds } from '../children.ts'
import { median } from '../measure.ts'
import { story } from './examples.ts'
import { ask } from './server-calls.ts'

const goals = { serving: 0.85, switchMs: 10 }
const answerTokens = 150
const rounds = 5

interface Rate {
  /** Of the clock on the wall, and of the time that the model's process was given: other programs do not matter to it. */
  wall: number
  processor: number
}

export async function showServing(server: AtollServer, model: string): Promise<void> {
  const logit_bias = await neverEnding()
  const rate = async (id: string, seed: number): Promise<Rate> => {
    const [startedAt, cpu] = [performance.now(), childSeconds(server, 'llama-process')]
    const body = { model: id, messages: story, max_tokens: answerTokens, temperature: 1, seed, logit_bias }
    const { tokens } = await ask(server, body)
    const seconds = childSeconds(server, 'llama-process') - cpu
    return { wall: (tokens * 1000) / (performance.now() - startedAt), processor: tokens / seconds }
  }
  const [plain, tuned]: [Rate[], Rate[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    plain.push(await rate('atoll-chat', round))
    tuned.push(await rate(model, round))
  }
  console.log(`\nServing, one answer of ${answerTokens} tokens at a time`)
  for (const [by, unit] of [
    ['wall', 'tokens/s'],
    ['processor', 'tokens a second of a core'],
  ] as const) {
    const [base, adapted] = [plain, tuned].map((rates) => median(rates.map((one) => one[by]))) as [number, number]
    const ratio = (adapted / base).toFixed(2)
    console.log(
      `  base ${base.toFixed(0)} ${unit}, with an adapter ${adapted.toFixed(0)}: ${ratio} (goal ${goals.serving})`,
    )
  }
  const short = async (id: string): Promise<number> => {
    const startedAt = performance.now()
    await ask(server, { model: id, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1 })
    return performance.now() - startedAt
  }
  const [same, switched]: [number[], number[]] = [[], []]
  for (let round = 0; round < 20; round++) {
    switched.push(await short(model))
    same.push(await short(model))
    switched.push(await short('atoll-chat'))
    same.push(await short('atoll-chat'))
  }
  const more = median(switched) - median(same)
  console.log(`  switching adapters between requests adds ${more.toFixed(1)} ms (goal at most ${goals.switchMs})`)
}

/** A model that learnt short answers would be measured by its prompts: nobody may end before the others. */
async function neverEnding(): Promise<Record<string, number>> {
  const settings = await ownChatModel()
  if (settings.kind !== 'llama') throw new Error('The built-in chat model is no GGUF file')
  const { vocabulary } = await loadPromptModel(settings.file, answerTokens)
  const tokens = Array.from({ length: vocabulary.size }, (_, token) => token)
  return Object.fromEntries(tokens.filter((token) => vocabulary.isEnd(token)).map((token) => [token, -100]))
}
