// The sets of the evaluation: each asks its cases and says which were right.
import { type Asked, ask, parsed } from './ask.ts'
import { extractions, type Message, readings, toolSets } from './cases.ts'
import { holds, isRefusal, isSameCall, isSameRecord } from './judge.ts'

interface Outcome {
  right: boolean
  /** What was asked and answered, for those who look at failures. */
  note: string
}

export interface EvaluationSet {
  name: string
  least: number
  aim: number
  /** Fewer are better. */
  isFault?: boolean
  cases: (() => Promise<Outcome>)[]
}

const user = (content: string): Message => ({ role: 'user', content })

export function toolCalls(server: Asked): EvaluationSet[] {
  const needed: EvaluationSet['cases'] = []
  const decided: EvaluationSet['cases'] = []
  const worded: EvaluationSet['cases'] = []
  for (const { tools, requests, results } of toolSets()) {
    for (const { user: said, call } of requests) {
      const answer = memo(() => ask(server, { messages: [user(said)], tools }))
      const note = async (): Promise<string> =>
        `${said}\n    wanted ${JSON.stringify(call)}\n    got    ${shown(await answer())}`
      decided.push(async () => ({ right: (await answer()).calls.length > 0 === (call !== null), note: await note() }))
      if (call === null) continue
      needed.push(async () => ({ right: isSameCall((await answer()).calls, call), note: await note() }))
    }
    for (const { user: said, call, result, expect } of results) {
      const id = 'call_1'
      const called = {
        id,
        type: 'function' as const,
        function: { name: call.name, arguments: JSON.stringify(call.arguments) },
      }
      const messages: Message[] = [
        user(said),
        { role: 'assistant', content: null, tool_calls: [called] },
        { role: 'tool', tool_call_id: id, content: JSON.stringify(result) },
      ]
      worded.push(async () => {
        const { text } = await ask(server, { messages, tools })
        const note = `${said} ${JSON.stringify(result)}\n    wanted ${expect.join(', ')}\n    got    ${text}`
        return { right: expect.every((value) => holds(text, value)), note }
      })
    }
  }
  return [
    { name: 'function call, name and all arguments exact', least: 0.82, aim: 0.9, cases: needed },
    { name: 'calls only when a call is needed', least: 0.96, aim: 0.99, cases: decided },
    { name: 'answer in words from a tool result has the value', least: 0.75, aim: 0.9, cases: worded },
  ]
}

/** Ways to give a text and a question. */
const layouts: ((passage: string, question: string) => Message[])[] = [
  (passage, question) => [user(`${passage}\n\n${question}`)],
  (passage, question) => [{ role: 'system', content: `Answer from this text:\n${passage}` }, user(question)],
  (passage, question) => [user(`Text:\n${passage}\n\nQuestion: ${question}`)],
  (passage, question) => [user(`${question}\n\nHere is the text: ${passage}`)],
]

const layout = (index: number) => layouts[index % layouts.length] as (typeof layouts)[number]

export function reading(server: Asked): EvaluationSet[] {
  const answered: EvaluationSet['cases'] = []
  const refused: EvaluationSet['cases'] = []
  const wrongly: EvaluationSet['cases'] = []
  let index = 0
  for (const { passage, questions, unanswerable } of readings()) {
    for (const { question, answers } of questions) {
      const messages = layout(index++)(passage, question)
      const answer = memo(() => ask(server, { messages, maxTokens: 80 }))
      const note = async (): Promise<string> =>
        `${question}\n    wanted ${answers.join(' / ')}\n    got    ${(await answer()).text}`
      answered.push(async () => {
        const { text } = await answer()
        return { right: answers.some((value) => holds(text, value)), note: await note() }
      })
      wrongly.push(async () => ({ right: isRefusal((await answer()).text), note: await note() }))
    }
    for (const question of unanswerable) {
      const messages = layout(index++)(passage, question)
      refused.push(async () => {
        const { text } = await ask(server, { messages, maxTokens: 80 })
        return { right: isRefusal(text), note: `${question}\n    got    ${text}` }
      })
    }
  }
  return [
    { name: 'answer from a passage', least: 0.65, aim: 0.85, cases: answered },
    { name: 'unanswerable said so', least: 0.88, aim: 0.95, cases: refused },
    { name: 'answerable refused wrongly', least: 0.08, aim: 0.03, isFault: true, cases: wrongly },
  ]
}

export function extraction(server: Asked): EvaluationSet {
  const cases = extractions().flatMap(({ schema, texts }) =>
    texts.map(({ text, expect }) => async () => {
      const reply = await ask(server, { messages: [user(`Extract the details.\n\n${text}`)], schema, maxTokens: 300 })
      const note = `${text}\n    wanted ${JSON.stringify(expect)}\n    got    ${reply.text}`
      return { right: isSameRecord(parsed(reply.text), expect), note }
    }),
  )
  return { name: 'extraction to an unseen schema, all fields', least: 0.7, aim: 0.85, cases }
}

function memo<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

const shown = ({ text, calls }: { text: string; calls: unknown[] }): string =>
  calls.length > 0 ? JSON.stringify(calls) : text
