// One run on a server that is killed, from its first message to its end, and what must be true of it then.
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import type { MessageObject } from '../../messages/schema.ts'
import type { RunObject } from '../schema.ts'
import type { RunStepObject } from '../steps/schema.ts'
import type { KilledServer } from './killed-server.ts'
import { lastWords, opening, passage, printedWord } from './run-script.ts'

const lookAgainMs = 30

export interface Named {
  name: string
  assistantId: string
  /** Searches and code, besides the function. */
  hasOwnTools: boolean
}

interface List<Item> {
  data: Item[]
}

/** Gives the outputs when they are asked for: of each call only until one was accepted. */
export async function runToEnd(server: KilledServer, { name, assistantId: assistant_id }: Named): Promise<RunObject> {
  const messages = [{ role: 'user', content: `Look up ${name}: what do guests pay?` }]
  const { answer: thread } = await server.ask<{ id: string }>('POST', '/v1/threads', { messages })
  const path = `/v1/threads/${thread.id}/runs`
  const accepted = new Set<string>()
  await server.ask('POST', path, { assistant_id })
  for (;;) {
    const { answer: list } = await server.ask<List<RunObject>>('GET', path)
    const [run, ...others] = list.data
    expect(others).toEqual([])
    // It was killed before the run was there.
    if (run === undefined) await server.ask('POST', path, { assistant_id })
    else if (run.status === 'requires_action') await giveOutputs(server, run, name, accepted)
    else if (!['queued', 'in_progress'].includes(run.status)) return run
    await setTimeout(lookAgainMs)
  }
}

async function giveOutputs(server: KilledServer, run: RunObject, output: string, accepted: Set<string>): Promise<void> {
  const calls = run.required_action?.submit_tool_outputs.tool_calls ?? []
  for (const { id } of calls) expect(accepted, 'an output that was accepted is asked for again').not.toContain(id)
  const tool_outputs = calls.map(({ id }) => ({ tool_call_id: id, output }))
  const path = `/v1/threads/${run.thread_id}/runs/${run.id}/submit_tool_outputs`
  const { status } = await server.ask('POST', path, { tool_outputs })
  if (status === 200) for (const { id } of calls) accepted.add(id)
}

/** Resolves to the ids of the files that its code wrote. */
export async function checkRun(server: KilledServer, run: RunObject, named: Named): Promise<string[]> {
  expect(run).toMatchObject({ status: 'completed', last_error: null })
  const path = `/v1/threads/${run.thread_id}`
  const { answer: messages } = await server.ask<List<MessageObject>>('GET', `${path}/messages?order=asc`)
  const { answer: steps } = await server.ask<List<RunStepObject>>('GET', `${path}/runs/${run.id}/steps?order=asc`)
  const printed = checkSteps(steps.data, named)
  expect(messages.data.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
  const [, first, last] = messages.data.map(({ content }) =>
    content[0]?.type === 'text' ? content[0].text : undefined,
  )
  expect(first?.value).toBe(opening)
  const { name, hasOwnTools } = named
  const mark = /(?<=evening\.)【\d+:\d+†club\.txt】/
  expect(last?.value.replace(mark, '')).toBe(lastWords(name, name, printed))
  expect(last?.annotations.map(({ type }) => type)).toEqual(hasOwnTools ? ['file_citation', 'file_path'] : [])
  const written = last?.annotations.flatMap((one) => (one.type === 'file_path' ? [one.file_path.file_id] : [])) ?? []
  // What the code printed, what it wrote and what the model was told come from one and the same call.
  for (const id of written) expect(await server.content(id)).toBe(printedWord(printed ?? ''))
  return written
}

/** Resolves to what the code printed. */
function checkSteps(steps: readonly RunStepObject[], { name, hasOwnTools }: Named): string | undefined {
  const done = steps.filter(({ status }) => status === 'completed').map(({ step_details }) => step_details)
  const lookUp = { tool_calls: [{ type: 'function', function: { name: 'look_up', output: name } }] }
  const search = { type: 'file_search', file_search: { results: [{ file_name: 'club.txt' }] } }
  const code = { type: 'code_interpreter', code_interpreter: { outputs: [{ type: 'logs' }] } }
  const message = { type: 'message_creation' }
  expect(done).toMatchObject(
    hasOwnTools
      ? [{ tool_calls: [search] }, message, { tool_calls: [search, code] }, lookUp, message]
      : [message, lookUp, message],
  )
  // The rest are calls that were cut off while the model wrote them.
  const cut = steps.filter(({ status }) => status !== 'completed')
  expect(cut.every(({ status, type }) => status === 'failed' && type === 'tool_calls')).toBe(true)
  const calls = done.flatMap((details) => (details.type === 'tool_calls' ? details.tool_calls : []))
  const [output] = calls.flatMap((call) => (call.type === 'code_interpreter' ? call.code_interpreter.outputs : []))
  return output?.type === 'logs' ? output.logs : undefined
}

/** An assistant with the function, and one with everything. */
export async function newAssistants(
  server: KilledServer,
): Promise<{ plain: string; equipped: string; storeId: string }> {
  const lookUp = { type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } }
  const form = new FormData()
  form.set('purpose', 'assistants')
  form.set('file', new Blob([`The workshop is open on Tuesday. ${passage}`]), 'club.txt')
  const { answer: file } = await server.ask<{ id: string }>('POST', '/v1/files', form)
  const { answer: store } = await server.ask<{ id: string }>('POST', '/v1/vector_stores', { file_ids: [file.id] })
  const create = async (fields: object): Promise<string> =>
    (await server.ask<{ id: string }>('POST', '/v1/assistants', { model: 'gpt-4o', ...fields })).answer.id
  return {
    storeId: store.id,
    plain: await create({ tools: [lookUp] }),
    equipped: await create({
      tools: [lookUp, { type: 'file_search' }, { type: 'code_interpreter' }],
      tool_resources: { file_search: { vector_store_ids: [store.id] } },
    }),
  }
}
