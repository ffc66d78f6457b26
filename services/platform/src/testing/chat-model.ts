// A real model for tests: random weights, real runtime. One for all tests of a file.
import { join } from 'node:path'
import { LlamaSettings } from '@atoll/models/builtin/llama/settings'
import { byteLetters } from '@atoll/models/gguf/byte-letters'
import type { Runtime } from '@atoll/models/runtime'
import { createRuntimes, type Runtimes } from '@atoll/models/runtimes'
import { type RandomModel, specialTokens, writeRandomModel } from '@atoll/models/testing/random-gguf'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll } from 'vitest'

export const chatModelName = 'random.gguf'

/** What `describePlatform` takes as `runtimes`, once tests run. */
export function startChatModel(
  settings: { contextLength?: number } = {},
  model: RandomModel = {},
): () => Record<string, Runtime> {
  let runtimes: Runtimes | undefined
  let runtime: Runtime | undefined
  beforeAll(async () => {
    const folder = await tempDir()
    const file = join(folder, chatModelName)
    writeRandomModel(file, model)
    const tested = LlamaSettings.parse({ kind: 'llama', file, ...settings })
    runtimes = createRuntimes({ tested }, { log: silentLog, modelsFolder: folder, chatModel: undefined })
    runtime = await runtimes.get('tested')
  })
  afterAll(() => runtimes?.close())
  return () => {
    if (runtime === undefined) throw new Error('The model starts before the tests do.')
    // A platform closes its runtimes; this one goes on for the next test.
    return { 'builtin-chat': { ...runtime, close: async () => undefined } }
  }
}

/** Ids of the model's tokens: ends its turn; writes this ASCII letter. */
export const endToken = specialTokens.indexOf('<|end|>')
export const letterToken = (letter: string): number => specialTokens.length + byteLetters.indexOf(letter)
