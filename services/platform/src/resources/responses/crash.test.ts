// Responses in the background whose server is killed again and again: each comes to its end, and nothing is there twice.
import { setTimeout } from 'node:timers/promises'
import { describeBothTargets } from '@atoll/testkit/both-targets'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import type { Item } from '../conversations/items/schema.ts'
import { newAssistants } from '../threads/runs/testing/killed-run.ts'
import { KilledServer } from '../threads/runs/testing/killed-server.ts'
import { KilledWork, patienceMs } from '../threads/runs/testing/killed-work.ts'
import { lastWords, opening, printedWord } from '../threads/runs/testing/run-script.ts'
import type { ResponseObject } from './schema.ts'

const isLong = process.env.ATOLL_TEST_LONG === '1'
const kills = isLong ? 100 : 2
const chains = isLong ? 150 : 4
/** Every so many of them search and run code too; Python takes a while to start. */
const equippedEvery = isLong ? 2 : 4
const longestLifeMs = 1_000
const lookAgainMs = 30

type Answer = Omit<ResponseObject, 'output'> & { output: Item[] }

interface Tools {
  plain: object[]
  equipped: object[]
}

/** What is refused or has failed is shown with its reason. */
async function answerTo(server: KilledServer, method: string, path: string, body?: object): Promise<Answer> {
  const { status, answer } = await server.ask<Answer>(method, path, body)
  expect({ status, answer }).toMatchObject({ status: 200 })
  return answer
}

async function toEnd(server: KilledServer, body: object): Promise<Answer> {
  const asked = { model: 'gpt-4o', background: true, include: ['code_interpreter_call.outputs'], ...body }
  const begun = await answerTo(server, 'POST', '/v1/responses', asked)
  for (;;) {
    const answer = await answerTo(server, 'GET', `/v1/responses/${begun.id}`)
    if (answer.status !== 'queued' && answer.status !== 'in_progress') return answer
    await setTimeout(lookAgainMs)
  }
}

/** A question, the calls of our own tools, the call of the caller's, and the answer to its output. */
async function chainToEnd(server: KilledServer, name: string, tools: object[]): Promise<[Answer, Answer]> {
  const first = await toEnd(server, { input: `Look up ${name}: what do guests pay?`, tools })
  const call = first.output.find((item) => item.type === 'function_call')
  expect(first).toMatchObject({ status: 'completed', error: null })
  const output = { type: 'function_call_output', call_id: call?.call_id, output: name }
  return [first, await toEnd(server, { input: [output], previous_response_id: first.id, tools })]
}

const textOf = (item: Item | undefined): string | undefined =>
  item?.type === 'message' && item.content[0]?.type === 'output_text' ? item.content[0].text : undefined

function checkChain(name: string, [first, last]: [Answer, Answer], isEquipped: boolean): void {
  const types = first.output.map(({ type }) => type)
  const search = 'file_search_call'
  expect(types).toEqual(
    isEquipped ? [search, 'message', search, 'code_interpreter_call', 'function_call'] : ['message', 'function_call'],
  )
  expect(textOf(first.output[isEquipped ? 1 : 0])).toBe(opening)
  const code = first.output.find((item) => item.type === 'code_interpreter_call')
  const [output] = code?.outputs ?? []
  const printed = output?.type === 'logs' ? output.logs : undefined
  if (isEquipped) expect(printedWord(printed ?? '')).toBeDefined()
  expect(last).toMatchObject({ status: 'completed', previous_response_id: first.id })
  expect(last.output.map(({ type }) => type)).toEqual(['message'])
  expect(textOf(last.output[0])).toBe(lastWords(name, name, printed))
}

/** What a reader that comes late is told is what there is, in one row of numbers. */
async function checkStream(server: KilledServer, answer: Answer): Promise<void> {
  const text = await server.text(`/v1/responses/${answer.id}?stream=true`)
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
  const types = events.map(({ type }) => type)
  expect(types.filter((type) => /^response\.(created|queued|in_progress|completed)$/.test(type))).toEqual([
    ...['response.created', 'response.queued', 'response.in_progress', 'response.completed'],
  ])
  const done = events.flatMap(({ type, item }) =>
    type === 'response.output_item.done' && item.status !== 'incomplete' ? [item.id] : [],
  )
  expect(done).toEqual(answer.output.map(({ id }) => id))
}

describeBothTargets('responses of a server that is killed', (newTarget) => {
  it(`go on after the restart: none stuck, no item doubled, no tool called again whose output was kept (${chains} chains of two, ${kills} times kill -9)`, {
    timeout: 2 * patienceMs + kills * 30_000,
  }, async () => {
    const target = await newTarget()
    const server = new KilledServer(target, target.kind === 'sqlite' ? target.folder : await tempDir())
    await server.start()
    try {
      const tools = await newTools(server)
      const isEquipped = (at: number): boolean => at % equippedEvery === 0
      const all = new KilledWork(server, chains, (at) =>
        chainToEnd(server, `thing-${at}`, isEquipped(at) ? tools.equipped : tools.plain),
      )
      await all.run({ kills, longestLifeMs })
      for (const [at, chain] of all.ended.entries()) {
        checkChain(`thing-${at}`, chain, isEquipped(at))
        for (const answer of chain) await checkStream(server, answer)
      }
      console.info(
        `responses, ${target.kind}: ${kills} kills, ${2 * chains} responses, ${all.met} times one under way at a kill, ` +
          '0 stuck, 0 items doubled, 0 tools called again',
      )
    } finally {
      await server.kill()
    }
  })
})

async function newTools(server: KilledServer): Promise<Tools> {
  const { storeId } = await newAssistants(server)
  const lookUp = { type: 'function', name: 'look_up', parameters: { type: 'object' } }
  const search = { type: 'file_search', vector_store_ids: [storeId] }
  const code = { type: 'code_interpreter', container: { type: 'auto' } }
  return { plain: [lookUp], equipped: [lookUp, search, code] }
}
