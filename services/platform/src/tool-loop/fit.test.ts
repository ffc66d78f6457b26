import type { ChatMessage } from '@atoll/models/chat'
import { expect, it } from 'vitest'
import { fitConversation } from './fit.ts'

const said = (count: number): ChatMessage[] =>
  Array.from({ length: count }, (_, index) => ({ role: 'user', content: `Message number ${index}, in a few words.` }))
const options = { tools: [], keepThread: false }

it('a conversation that is surely short enough stays whole, and its tokens can still be told', () => {
  const fitted = fitConversation({ instructions: 'Be brief.', thread: said(50), own: [] }, { ...options, limit: 1e6 })
  expect([fitted.fits, fitted.messages.length]).toEqual([true, 51])
  expect(fitted.tokens).toBeGreaterThan(50 * 8)
  expect(fitted.tokens).toBeLessThan(50 * 20)
})

it('one that may be too long is counted, and the oldest go', () => {
  const whole = fitConversation({ instructions: '', thread: said(50), own: [] }, { ...options, limit: 1e6 })
  const { tokens } = whole
  const exact = fitConversation({ instructions: '', thread: said(50), own: [] }, { ...options, limit: tokens })
  expect([exact.fits, exact.messages.length]).toEqual([true, 50])
  const less = fitConversation({ instructions: '', thread: said(50), own: [] }, { ...options, limit: tokens / 2 })
  expect(less.fits).toBe(true)
  expect(less.messages.length).toBeLessThan(30)
  expect(less.messages.at(-1)).toEqual(said(50).at(-1))
})
