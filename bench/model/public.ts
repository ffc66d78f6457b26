// Public sets that were never trained on, as `training/chat/measured.py` writes them into a folder.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AtollServer } from '../atoll-server.ts'
import { ask } from './ask.ts'
import type { FunctionDefinition, Message } from './cases.ts'
import { evenly } from './evenly.ts'
import { isCheckable, keepsRules, type RuledPrompt } from './instructions-followed.ts'
import { holds, isAllowedCall, isRefusal, type WantedCall } from './judge.ts'
import type { EvaluationSet } from './sets.ts'

/** Of each set so many, unless BENCH_CASES says another number: enough to compare two models. */
const mostCases = Number(process.env.BENCH_CASES ?? 200)

type Server = Pick<AtollServer, 'url' | 'apiKey'>
type Cases = EvaluationSet['cases']

interface CallCase {
  messages: Message[]
  tools: FunctionDefinition[]
  wanted: WantedCall[]
}

interface PassageCase {
  passage: string
  question: string
  answers: string[]
}

interface TableCase {
  title?: string
  table: Record<string, string>[]
  question: string
  values: string[]
}

interface InstructionCase {
  instruction: string
  input: string
  values: string[]
}

export function publicSets(server: Server, folder: string): EvaluationSet[] {
  const sets: EvaluationSet[] = [
    { name: 'BFCL v4 simple', least: 0.6, aim: 0.75, cases: callCases(server, folder, 'calls-simple_python') },
    { name: 'BFCL v4 multiple', least: 0.5, aim: 0.7, cases: callCases(server, folder, 'calls-multiple') },
    { name: 'BFCL v4 live simple', least: 0.4, aim: 0.6, cases: callCases(server, folder, 'calls-live_simple') },
    { name: 'BFCL v4 live multiple', least: 0.3, aim: 0.5, cases: callCases(server, folder, 'calls-live_multiple') },
    { name: 'BFCL v4 irrelevance', least: 0.7, aim: 0.9, cases: callCases(server, folder, 'calls-irrelevance') },
    {
      name: 'BFCL v4 live irrelevance',
      least: 0.7,
      aim: 0.9,
      cases: callCases(server, folder, 'calls-live_irrelevance'),
    },
    {
      name: 'XQuAD English, natural questions on a passage',
      least: 0.55,
      aim: 0.65,
      cases: passageCases(server, folder, 'passages-xquad'),
    },
    {
      name: 'CLAP-NQ, unanswerable said so',
      least: 0.7,
      aim: 0.9,
      cases: refusalCases(server, folder, 'passages-clapnq'),
    },
    {
      name: 'WikiTableQuestions, unseen tables',
      least: 0.2,
      aim: 0.4,
      cases: tableCases(server, folder, 'tables-questions'),
    },
    {
      name: 'FeTaQA, all values of the answer',
      least: 0.3,
      aim: 0.5,
      cases: tableCases(server, folder, 'tables-feta'),
    },
    { name: 'instructions of tasks never trained', least: 0.25, aim: 0.45, cases: instructionCases(server, folder) },
    { name: 'IFEval, all rules of a prompt kept', least: 0.15, aim: 0.3, cases: ruledCases(server, folder) },
  ]
  return sets.filter(({ cases }) => cases.length > 0)
}

function read<T>(folder: string, name: string): T[] {
  const file = join(folder, `${name}.json`)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T[]) : []
}

const spread = <T>(all: T[]): T[] => evenly(all, mostCases)

/** One call with values that are allowed; none where no function fits. */
const callCases = (server: Server, folder: string, name: string): Cases =>
  spread(read<CallCase>(folder, name)).map(({ messages, tools, wanted }) => async () => {
    const { calls, text } = await ask(server, { messages, tools })
    const right =
      wanted.length === 0
        ? calls.length === 0
        : calls.length === wanted.length && wanted.every((call, index) => isAllowedCall(calls[index], call))
    const got = calls.length > 0 ? JSON.stringify(calls) : text
    return { right, note: `${messages.at(-1)?.content}\n    wanted ${JSON.stringify(wanted)}\n    got    ${got}` }
  })

const passageCases = (server: Server, folder: string, name: string): Cases =>
  spread(read<PassageCase>(folder, name)).map(({ passage, question, answers }) => async () => {
    const messages: Message[] = [{ role: 'user', content: `${passage}\n\n${question}` }]
    const { text } = await ask(server, { messages, maxTokens: 80 })
    const note = `${question}\n    wanted ${answers.join(' / ')}\n    got    ${text}`
    return { right: answers.some((value) => holds(text, value)), note }
  })

const refusalCases = (server: Server, folder: string, name: string): Cases =>
  spread(read<PassageCase>(folder, name).filter(({ answers }) => answers.length === 0)).map(
    ({ passage, question }) =>
      async () => {
        const messages: Message[] = [{ role: 'user', content: `${passage}\n\n${question}` }]
        const { text } = await ask(server, { messages, maxTokens: 80 })
        return { right: isRefusal(text), note: `${question}\n    got    ${text}` }
      },
  )

const tableCases = (server: Server, folder: string, name: string): Cases =>
  spread(read<TableCase>(folder, name)).map(({ title, table, question, values }) => async () => {
    const content = `${title ? `${title}\n` : ''}${JSON.stringify(table)}\n\n${question}`
    const { text } = await ask(server, { messages: [{ role: 'user', content }], maxTokens: 100 })
    const note = `${question}\n    wanted ${values.join(', ')}\n    got    ${text}`
    return { right: values.every((value) => holds(text, value)), note }
  })

const instructionCases = (server: Server, folder: string): Cases =>
  spread(read<InstructionCase>(folder, 'instructions')).map(({ instruction, input, values }) => async () => {
    const messages: Message[] = [{ role: 'user', content: `${instruction}\n\n${input}` }]
    const { text } = await ask(server, { messages, maxTokens: 60 })
    const note = `${instruction}\n    wanted ${values.join(' / ')}\n    got    ${text}`
    return { right: values.some((value) => holds(text, value)), note }
  })

const ruledCases = (server: Server, folder: string): Cases =>
  spread(read<RuledPrompt>(folder, 'ifeval').filter(isCheckable)).map((ruled) => async () => {
    const messages: Message[] = [{ role: 'user', content: ruled.prompt }]
    const { text } = await ask(server, { messages, maxTokens: 400 })
    return { right: keepsRules(text, ruled), note: `${ruled.prompt}\n    got    ${text}` }
  })
