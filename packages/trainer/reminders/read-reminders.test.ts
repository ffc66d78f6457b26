import { join } from 'node:path'
import { loadPromptModel } from '@atoll/models/builtin/llama/prompt-model'
import { readGguf } from '@atoll/models/gguf/read'
import { expect, it } from 'vitest'
import { readReminders } from './read-reminders.ts'

const file = join(import.meta.dirname, '../../../weights/chat/atoll-chat.gguf')

it('can be read in the words of the built-in model, and of one whose template knows neither tools nor records', async () => {
  const model = await loadPromptModel(file, 4_096)
  const { chatTemplate } = await readGguf(file)
  const { reminders: read, all } = await readReminders({ model, template: chatTemplate, maxTokens: 512 })
  expect([read.length, all]).toEqual([240, 240])
  for (const { tokens, weights } of read) expect(weights).toHaveLength(tokens.length)
  const { reminders: plain } = await readReminders({ model, template: undefined, maxTokens: 4_096 })
  expect(plain).toHaveLength(240)
  const { reminders: few, all: whole } = await readReminders({ model, template: chatTemplate, maxTokens: 100 })
  expect(few.length).toBeGreaterThan(10)
  expect(few.length).toBeLessThan(whole)
})
