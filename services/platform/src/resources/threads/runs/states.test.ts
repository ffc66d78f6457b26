import { ManualClock } from '@atoll/kernel/clock/clock'
import { ModelProblem } from '@atoll/models/problem'
import { expect, it } from 'vitest'
import { ask, refusal } from '../../../testing/assistant-requests.ts'
import { describePlatformOnSqliteOrBoth, type TestPlatform } from '../../../testing/describe-platform.ts'
import {
  getRun,
  messagesOf,
  newAssistant,
  newRun,
  newThread,
  runOnce,
  runsPath,
  settled,
  stepsOf,
  textOf,
  weather,
} from '../../../testing/run-requests.ts'
import { type Piece, ScriptedChatModel } from '../../../testing/scripted-chat-model.ts'
import { waitUntil } from '../../../testing/wait-until.ts'
import type { RunObject } from './schema.ts'

const forever: Piece = { wait: new Promise(() => undefined) }
const call: Piece = { call: 'get_weather', arguments: ['{}'] }

/** A run whose model has begun to speak and does not go on. */
async function runInProgress(platform: TestPlatform, run: object = {}): Promise<RunObject> {
  const { id: assistant_id } = await newAssistant(platform)
  const thread = await newThread(platform, 'Hi')
  const created = await newRun(platform, thread.id, { assistant_id, ...run })
  await waitUntil(async () => (await messagesOf(platform, thread.id)).length === 2)
  return getRun(platform, created)
}

const cancel = (platform: TestPlatform, run: RunObject): Promise<RunObject> =>
  ask<RunObject>(platform, 'POST', runsPath(run.thread_id, run.id, '/cancel'))

describePlatformOnSqliteOrBoth('states of runs', (start) => {
  it('AST-084 AST-078 AST-097 AST-093 cancels a run in progress: cancelling, then cancelled', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([['Half an ', 'answer', forever]]).runtimes })
    const run = await runInProgress(platform)
    expect(run).toMatchObject({ status: 'in_progress', started_at: expect.any(Number), usage: null })
    expect(await cancel(platform, run)).toMatchObject({ status: 'cancelling', cancelled_at: null })
    expect(await settled(platform, run)).toMatchObject({
      status: 'cancelled',
      cancelled_at: expect.any(Number),
      expires_at: null,
    })
    const [, message] = await messagesOf(platform, run.thread_id)
    expect(message).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'run_cancelled' } })
    expect(message && textOf(message)).toBe('Half an answer')
    expect(await stepsOf(platform, run)).toMatchObject([{ status: 'cancelled', cancelled_at: expect.any(Number) }])
    const again = await refusal(platform, 'POST', runsPath(run.thread_id, run.id, '/cancel'))
    const message400 = "Cannot cancel run with status 'cancelled'."
    expect(again).toEqual({ status: 400, type: 'invalid_request_error', param: null, code: null, message: message400 })
    // The thread is free again.
    await ask(platform, 'POST', `/v1/threads/${run.thread_id}/messages`, { role: 'user', content: 'Go on' })
  })

  it('cancels a run that waits for outputs, and refuses them then', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([[call]]).runtimes })
    const run = await runOnce(platform, { assistant: { tools: [weather] } })
    expect(await cancel(platform, run)).toMatchObject({ status: 'cancelling', required_action: null })
    expect(await settled(platform, run)).toMatchObject({ status: 'cancelled' })
    expect(await stepsOf(platform, run)).toMatchObject([{ type: 'tool_calls', status: 'cancelled' }])
    const path = runsPath(run.thread_id, run.id, '/submit_tool_outputs')
    const refused = await refusal(platform, 'POST', path, { tool_outputs: [{ tool_call_id: 'call_a', output: '' }] })
    expect(refused.message).toBe('Runs in status "cancelled" do not accept tool outputs.')
  })

  it("refuses to cancel a completed run: Cannot cancel run with status 'completed'.", async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([['ok']]).runtimes })
    const run = await runOnce(platform)
    const refused = await refusal(platform, 'POST', runsPath(run.thread_id, run.id, '/cancel'))
    expect(refused).toMatchObject({ status: 400, message: "Cannot cancel run with status 'completed'." })
  })

  it('AST-097 AST-093 expires a run that waits for outputs, 600 s after it was created', async () => {
    const clock = new ManualClock(Date.now())
    const platform = await start({ clock, runtimes: new ScriptedChatModel([[call]]).runtimes })
    const run = await runOnce(platform, { assistant: { tools: [weather] } })
    clock.advanceSeconds(599)
    expect(await getRun(platform, run)).toMatchObject({ status: 'requires_action' })
    clock.advanceSeconds(1)
    const path = runsPath(run.thread_id, run.id, '/submit_tool_outputs')
    const refused = await refusal(platform, 'POST', path, { tool_outputs: [{ tool_call_id: 'call_a', output: '' }] })
    expect(refused.message).toBe('Runs in status "expired" do not accept tool outputs.')
    expect(await getRun(platform, run)).toMatchObject({ status: 'expired', expires_at: null, required_action: null })
    expect(await stepsOf(platform, run)).toMatchObject([{ status: 'expired', expired_at: expect.any(Number) }])
    expect(await refusal(platform, 'POST', runsPath(run.thread_id, run.id, '/cancel'))).toMatchObject({ status: 400 })
  })

  it('expires a run in progress that nobody looks at, and stops its model', async () => {
    const clock = new ManualClock(Date.now())
    const model = new ScriptedChatModel([['Half', forever], ['Whole']])
    const platform = await start({ clock, runtimes: model.runtimes })
    const run = await runInProgress(platform)
    clock.advanceSeconds(601)
    await platform.platform.runs.jobs.expireOverdue()
    expect(await getRun(platform, run)).toMatchObject({ status: 'expired' })
    const [, message] = await messagesOf(platform, run.thread_id)
    expect(message).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'run_expired' } })
    const next = await newRun(platform, run.thread_id, { assistant_id: run.assistant_id })
    expect(await settled(platform, next)).toMatchObject({ status: 'completed' })
    await waitUntil(async () => (await platform.kernel.jobs.counts()).running === 0)
  })

  it.each([
    ['server_error', new ModelProblem('It broke.', { kind: 'failed' }), /model failed/],
    [
      'invalid_prompt',
      new ModelProblem('This model does not support images.', { kind: 'unsupported', param: 'messages' }),
      /images/,
    ],
    [
      'rate_limit_exceeded',
      new ModelProblem('Slow down', {
        kind: 'upstream',
        status: 429,
        error: { message: 'Slow down' },
        retryAfterSeconds: 1,
      }),
      /Slow down/,
    ],
  ])('fails with %s when the model does', async (code, fail, words) => {
    const platform = await start({ runtimes: new ScriptedChatModel([['Half', { fail }]]).runtimes })
    const run = await runOnce(platform)
    expect(run).toMatchObject({
      status: 'failed',
      failed_at: expect.any(Number),
      last_error: { code, message: expect.stringMatching(words) },
      expires_at: null,
    })
    const [, message] = await messagesOf(platform, run.thread_id)
    expect(message).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'run_failed' } })
    const [step] = await stepsOf(platform, run)
    expect(step).toMatchObject({
      status: 'failed',
      failed_at: expect.any(Number),
      last_error: { message: expect.stringMatching(words) },
    })
  })

  it('waits for a model that is busy', async () => {
    const busy = new ModelProblem('Busy.', { kind: 'overloaded', retryAfterSeconds: 0.1 })
    const script = (_: unknown, index: number): Piece[] => {
      if (index < 2) throw busy
      return ['Now']
    }
    const model = new ScriptedChatModel(script)
    const platform = await start({ runtimes: model.runtimes })
    expect(await runOnce(platform)).toMatchObject({ status: 'completed' })
    expect(model.requests).toHaveLength(3)
  })

  it('fails with rate_limit_exceeded when the project has no tokens left', async () => {
    const config = { rateLimits: { tokensPerMinute: 10 } }
    const platform = await start({ config, runtimes: new ScriptedChatModel([['ok']]).runtimes })
    expect(await runOnce(platform)).toMatchObject({ status: 'failed', last_error: { code: 'rate_limit_exceeded' } })
  })

  it('AST-086 ends early when the answer is longer than max_completion_tokens', async () => {
    const model = new ScriptedChatModel([{ pieces: ['As far as'], finish: 'length', completionTokens: 256 }])
    const platform = await start({ runtimes: model.runtimes })
    const run = await runOnce(platform, { run: { max_completion_tokens: 256 } })
    expect(run).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_completion_tokens' },
      usage: { completion_tokens: 256 },
    })
    const [, message] = await messagesOf(platform, run.thread_id)
    expect(message).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_tokens' } })
    expect(message && textOf(message)).toBe('As far as')
  })

  it('AST-086 counts its budgets over all turns, and asks for no outputs that nobody could read', async () => {
    const model = new ScriptedChatModel([
      { pieces: [call], completionTokens: 200, promptTokens: 100 },
      { pieces: [call], completionTokens: 100, promptTokens: 100 },
    ])
    const platform = await start({ runtimes: model.runtimes })
    const run = await runOnce(platform, { assistant: { tools: [weather] }, run: { max_completion_tokens: 300 } })
    expect(run.status).toBe('requires_action')
    const [id] = run.required_action?.submit_tool_outputs.tool_calls.map((one) => one.id) ?? []
    const tool_outputs = [{ tool_call_id: id, output: 'rain' }]
    const path = runsPath(run.thread_id, run.id, '/submit_tool_outputs')
    expect(await settled(platform, await ask<RunObject>(platform, 'POST', path, { tool_outputs }))).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_completion_tokens' },
      usage: { prompt_tokens: 200, completion_tokens: 300, total_tokens: 500 },
    })
    expect(model.requests.map(({ maxTokens }) => maxTokens)).toEqual([300, 100])
  })

  it('AST-086 ends early when the prompt is longer than max_prompt_tokens', async () => {
    const model = new ScriptedChatModel([
      { pieces: ['ok'], promptTokens: 50 },
      { pieces: ['ok'], promptTokens: 300 },
    ])
    const platform = await start({ runtimes: model.runtimes })
    const long = 'word '.repeat(600)
    const reason = { incomplete_details: { reason: 'max_prompt_tokens' }, status: 'incomplete' }
    const tooLong = await runOnce(platform, { run: { max_prompt_tokens: 256 }, messages: [long] })
    expect(tooLong).toMatchObject(reason)
    expect(model.requests).toHaveLength(0)
    // Older messages are left out first.
    const fits = await runOnce(platform, { run: { max_prompt_tokens: 256 }, messages: [long, 'short', 'question'] })
    expect(fits).toMatchObject({ status: 'completed' })
    expect(model.requests[0]?.messages.map(({ content }) => content)).toEqual(['short', 'question'])
    // The model counts better.
    expect(await runOnce(platform, { run: { max_prompt_tokens: 256 } })).toMatchObject(reason)
  })

  it('leaves out the oldest messages when the model says that they are too many', async () => {
    const contextTokens = 400
    const model = new ScriptedChatModel(({ messages }) => {
      const requestedTokens = messages.reduce((sum, { content }) => sum + (content as string).length, 0)
      if (requestedTokens <= contextTokens) return ['ok']
      throw new ModelProblem('Too long.', {
        kind: 'context_length',
        maxTokens: contextTokens,
        requestedTokens,
        param: 'messages',
      })
    })
    const platform = await start({ runtimes: model.runtimes })
    const messages = Array.from({ length: 10 }, (_, index) => `${index} ${'x '.repeat(49)}`)
    const assistant = { instructions: 'Be brief.' }
    const run = await runOnce(platform, { assistant, messages })
    expect(run).toMatchObject({ status: 'completed' })
    const read = model.requests.at(-1)?.messages.map(({ content }) => (content as string).slice(0, 1))
    expect(read?.at(0)).toBe('B')
    expect(read?.at(-1)).toBe('9')
    expect(read?.length).toBeGreaterThan(2)
    // The caller has said which messages count: then it is an error.
    const last = { truncation_strategy: { type: 'last_messages', last_messages: 10 } }
    expect(await runOnce(platform, { assistant, messages, run: last })).toMatchObject({
      status: 'failed',
      last_error: { code: 'invalid_prompt', message: expect.stringContaining('400 tokens') },
    })
  })
})
