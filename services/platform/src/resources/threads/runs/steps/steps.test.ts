import { expect, it } from 'vitest'
import type { ListEnvelope } from '../../../../conventions/lists.ts'
import { ask, refusal } from '../../../../testing/assistant-requests.ts'
import { describePlatform } from '../../../../testing/describe-platform.ts'
import { checkPublished } from '../../../../testing/published-schemas.ts'
import { messagesOf, runOnce, runsPath, stepsOf, weather } from '../../../../testing/run-requests.ts'
import { ScriptedChatModel } from '../../../../testing/scripted-chat-model.ts'
import type { RunStepObject } from './schema.ts'
import { searchContent } from './schema.ts'

describePlatform('run steps', (start) => {
  it('AST-088 AST-091 AST-092 AST-093 AST-094 AST-095 AST-097 shows the step that created the message', async () => {
    const model = new ScriptedChatModel([{ pieces: ['Hello'], promptTokens: 7, completionTokens: 2 }])
    const platform = await start({ runtimes: model.runtimes })
    const run = await runOnce(platform)
    const [, message] = await messagesOf(platform, run.thread_id)
    const [step] = await stepsOf(platform, run)
    expect(step).toEqual({
      id: expect.stringMatching(/^step_/),
      object: 'thread.run.step',
      created_at: expect.any(Number),
      run_id: run.id,
      assistant_id: run.assistant_id,
      thread_id: run.thread_id,
      type: 'message_creation',
      status: 'completed',
      cancelled_at: null,
      completed_at: expect.any(Number),
      expired_at: null,
      failed_at: null,
      last_error: null,
      step_details: { type: 'message_creation', message_creation: { message_id: message?.id } },
      usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
      metadata: {},
    })
    const path = runsPath(run.thread_id, run.id, `/steps/${step?.id}`)
    const one = await ask<RunStepObject>(platform, 'GET', path)
    checkPublished('RunStepObject', one)
    expect(one).toEqual(step)
  })

  it('AST-088 AST-089 lists steps in pages, newest first unless asked otherwise', async () => {
    const unknown = { call: 'not_there', arguments: ['{}'] }
    const model = new ScriptedChatModel([[unknown], [unknown], ['Done']])
    const platform = await start({ runtimes: model.runtimes })
    const run = await runOnce(platform, { assistant: { tools: [weather] } })
    const path = runsPath(run.thread_id, run.id, '/steps')
    const list = (query: string) => ask<ListEnvelope<RunStepObject>>(platform, 'GET', `${path}?${query}`)
    const all = await list('')
    expect(all.data.map(({ type }) => type)).toEqual(['message_creation', 'tool_calls', 'tool_calls'])
    const [last, middle, first] = all.data.map(({ id }) => id)
    expect(all).toMatchObject({ object: 'list', first_id: last, last_id: first, has_more: false })
    expect((await list(`limit=1&after=${last}`)).data.map(({ id }) => id)).toEqual([middle])
    expect((await list(`limit=2&before=${first}`)).data.map(({ id }) => id)).toEqual([last, middle])
    expect((await list('order=asc')).data.map(({ id }) => id)).toEqual([first, middle, last])
    expect((await list(`after=${first}`)).data).toEqual([])
  })

  it('AST-090 takes one value for include, in both spellings, and refuses others', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([['Hello']]).runtimes })
    const run = await runOnce(platform)
    const [step] = await stepsOf(platform, run)
    const value = encodeURIComponent(searchContent)
    for (const path of ['/steps', `/steps/${step?.id}`]) {
      const url = runsPath(run.thread_id, run.id, path)
      for (const name of ['include', 'include[]', 'include%5B%5D'])
        await ask(platform, 'GET', `${url}?${name}=${value}`)
      const refused = await refusal(platform, 'GET', `${url}?include[]=step_details`)
      expect(refused).toMatchObject({ status: 400, type: 'invalid_request_error', param: 'include[0]' })
      expect(await refusal(platform, 'GET', `${url}?include=x`)).toMatchObject({ status: 400 })
    }
  })

  it('says that a step, its run or its thread is not there', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([['Hello']]).runtimes })
    const run = await runOnce(platform)
    const other = await runOnce(platform)
    const [step] = await stepsOf(platform, run)
    const noStep = await refusal(platform, 'GET', runsPath(run.thread_id, run.id, '/steps/step_x'))
    expect(noStep).toMatchObject({ status: 404, message: "No run step found with id 'step_x'.", param: null })
    const path = `/steps/${step?.id}`
    expect(await refusal(platform, 'GET', runsPath(other.thread_id, other.id, path))).toMatchObject({ status: 404 })
    const noRun = await refusal(platform, 'GET', runsPath(run.thread_id, 'run_x', '/steps'))
    expect(noRun).toMatchObject({ status: 404, message: "No run found with id 'run_x'." })
    const foreign = await platform.addProject('other')
    expect(await refusal(foreign, 'GET', runsPath(run.thread_id, run.id, '/steps'))).toMatchObject({ status: 404 })
  })
})
