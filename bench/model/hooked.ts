// Simple requests as a hook brings them, wrapped by the gateway's own code, and the same said plainly.
import { hookPrompt } from '../../services/hooks/src/agent/trust/prompt.ts'
import { type Asked, ask } from './ask.ts'
import { hookedMessages, type Message } from './cases.ts'
import { holds } from './judge.ts'
import type { EvaluationSet } from './sets.ts'

/** The gateway's default. */
const instructions = 'You are an assistant that reacts to events and to the requests of hooks.'
const receivedAt = Date.UTC(2026, 10, 18, 15, 4)

type Case = ReturnType<typeof hookedMessages>[number]

export function hooked(server: Asked): EvaluationSet[] {
  return [
    { name: 'request wrapped by a hook', least: 0.65, aim: 0.85, cases: asked(server, wrapped) },
    { name: 'the same request said plainly', least: 0.75, aim: 0.9, cases: asked(server, plain) },
  ]
}

const asked = (server: Asked, messagesOf: (one: Case, index: number) => Message[]): EvaluationSet['cases'] =>
  hookedMessages().map((one, index) => async () => {
    const { text } = await ask(server, { messages: messagesOf(one, index), maxTokens: 60 })
    const note = `${one.message}\n    wanted ${one.answers.join(' / ')}\n    got    ${text}`
    return { right: one.answers.some((value) => holds(text, value)), note }
  })

const plain = ({ message }: Case): Message[] => [{ role: 'user', content: message }]

function wrapped({ message, name }: Case, index: number): Message[] {
  // Digits as random ones look, the same in each run.
  const marker = ((BigInt(index) + 12_345n) * 0x9e37_79b9_7f4a_7c15n).toString(16).slice(-16)
  const action = { message, name }
  const content = hookPrompt({ action, source: 'webhook', trust: 'external', isUnsafe: false, receivedAt, marker })
  return [
    { role: 'system', content: instructions },
    { role: 'user', content },
  ]
}
