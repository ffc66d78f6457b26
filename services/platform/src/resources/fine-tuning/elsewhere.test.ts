// Jobs that are handed on to the server behind a model. That server is another Atoll, behind a line that loses answers.
import { OpenAI4 } from '@atoll/testkit/openai-clients'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { describePlatformOnSqlite, type StartOptions, type TestPlatform } from '../../testing/describe-platform.ts'
import { waitUntil } from '../../testing/wait-until.ts'
import type { FineTuningJob } from './schema.ts'
import { type ForgetfulProxy, startForgetfulProxy } from './testing/forgetful-proxy.ts'
import {
  addExamples,
  conversation,
  create,
  ended,
  eventsOf,
  find,
  longMs,
  refusal,
  smallModelFile,
  tuningOptions,
} from './testing/tuning-test.ts'

let file: string
let proxy: ForgetfulProxy | undefined
beforeAll(async () => {
  file = await smallModelFile()
})
beforeEach(() => {
  proxy = undefined
})
afterEach(() => proxy?.close())

const jobsOf = async (platform: TestPlatform): Promise<FineTuningJob[]> =>
  ((await (await platform.get('/v1/fine_tuning/jobs')).json()) as unknown as { data: FineTuningJob[] }).data

/** A platform that trains nothing itself, behind it one that does. */
async function chain(start: (options: StartOptions) => Promise<TestPlatform>) {
  const trainer = await start(tuningOptions(file))
  const line = await startForgetfulProxy(trainer.url)
  proxy = line
  const upstream = { kind: 'upstream' as const, model: 'small', replicas: [`${line.url}/v1`], apiKey: trainer.apiKey }
  const options: StartOptions = {
    config: {
      runtimes: { far: { ...upstream, fineTuning: true }, plain: upstream },
      models: [
        { id: 'far', runtime: 'far', serves: ['chat'] },
        { id: 'plain', runtime: 'plain', serves: ['chat'] },
      ],
    },
  }
  return { trainer, line, options, front: await start(options) }
}

const yes = { n_epochs: 12, batch_size: 5, learning_rate_multiplier: 20 }

describePlatformOnSqlite('a training by another server', (start) => {
  it(
    'is handed on, told on, and its models are served under ids of ours, after a restart too',
    async () => {
      const { trainer, front, options } = await chain(start)
      const training_file = await addExamples(front)
      const validation_file = await addExamples(front, [conversation('the inn', 'yes')])
      expect(await refusal(front, { model: 'plain', training_file })).toMatchObject({
        ...{ status: 400, code: 'model_not_available' },
      })
      const fields = { model: 'far', training_file, validation_file, hyperparameters: yes, suffix: 'yes', seed: 7 }
      const { id } = await create(front, fields)
      const job = await ended(front, id)
      expect(job, JSON.stringify(job.error)).toMatchObject({ status: 'succeeded', hyperparameters: yes })
      expect(job.fine_tuned_model).toMatch(/^ft:far:[\w-]+:yes:\w{8}$/)
      expect(job.trained_tokens).toBeGreaterThan(100)
      const [theirs] = await jobsOf(trainer)
      expect(theirs).toMatchObject({ status: 'succeeded', model: 'small', seed: 7, user_provided_suffix: 'yes' })

      const messages = (await eventsOf(front, id)).map(({ message }) => message)
      expect(messages.filter((message) => /^Step \d+\/24/.test(message))).toHaveLength(24)
      expect(messages.join('\n')).not.toContain(theirs!.id)
      expect(messages.slice(-2)).toEqual([
        `New fine-tuned model created: ${job.fine_tuned_model}`,
        'The job has successfully completed',
      ])
      const client = new OpenAI4({ baseURL: `${front.url}/v1`, apiKey: front.apiKey })
      const { data: checkpoints } = await client.fineTuning.jobs.checkpoints.list(id)
      expect(checkpoints.map(({ step_number }) => step_number)).toEqual([24, 22, 20])
      expect(checkpoints[0]?.metrics.full_valid_loss).toEqual(expect.any(Number))
      const results = await (await client.files.content(job.result_files[0]!)).text()
      expect(results.split('\n')[0]).toBe('step,train_loss,train_accuracy,valid_loss,valid_mean_token_accuracy')

      await front.close()
      const again = await start({ ...options, after: front })
      const ask = async (model: string): Promise<string | null> => {
        const restarted = new OpenAI4({ baseURL: `${again.url}/v1`, apiKey: again.apiKey })
        const asked = [{ role: 'user' as const, content: 'an end' }]
        const body = { model, messages: asked, temperature: 0, max_tokens: 5 }
        const answer = await restarted.chat.completions.create(body)
        const named = new Set([answer.model])
        for await (const piece of await restarted.chat.completions.create({ ...body, stream: true }))
          named.add(piece.model)
        expect([...named]).toEqual([model === 'far' ? 'random' : model])
        return answer.choices[0]!.message.content
      }
      expect(await ask(job.fine_tuned_model!)).toBe('yes')
      expect(await ask('far')).not.toBe('yes')
      expect(await ask(checkpoints[1]!.fine_tuned_model_checkpoint)).toBe('yes')
      await trainer.delete(`/v1/models/${theirs!.fine_tuned_model}`)
      const refused = await ask(job.fine_tuned_model!).catch((error: Error) => error.message)
      expect(refused).toContain(`The model '${job.fine_tuned_model}' does not exist`)
    },
    longMs,
  )

  it(
    'is begun once there, however often answers are lost and this server restarts',
    async () => {
      const { trainer, line, front, options } = await chain(start)
      line.losing.push({ path: /\/files$/, times: 1 }, { path: /\/fine_tuning\/jobs$/, times: 1 })
      const training_file = await addExamples(front)
      const { id } = await create(front, {
        model: 'far',
        training_file,
        hyperparameters: { n_epochs: 6, batch_size: 2 },
      })
      await waitUntil(async () => (await jobsOf(trainer)).length > 0, longMs)
      await front.close()
      const again = await start({ ...options, after: front })
      const job = await ended(again, id)
      expect(job, JSON.stringify(job.error)).toMatchObject({ status: 'succeeded' })
      expect(await jobsOf(trainer)).toHaveLength(1)
      expect(line.asked.filter((asked) => asked === 'POST /v1/files')).toHaveLength(1)
      expect(line.losing.every(({ times }) => times === 0)).toBe(true)
      const steps = (await eventsOf(again, id)).filter(({ type }) => type === 'metrics').map(({ data }) => data?.step)
      expect(steps).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
    },
    longMs,
  )

  it(
    'fails with the words of the server, and is cancelled there too',
    async () => {
      const { trainer, front } = await chain(start)
      const few = await addExamples(front, [conversation('one', 'yes')])
      const failed = await ended(front, (await create(front, { model: 'far', training_file: few })).id)
      expect(failed.error?.message).toBe(
        'The server that trains this model gave up: The training file has 1 examples; at least 10 are needed.',
      )
      const hyperparameters = { n_epochs: 50, batch_size: 1 }
      const { id } = await create(front, { model: 'far', training_file: await addExamples(front), hyperparameters })
      await waitUntil(async () => (await find(front, id)).status === 'running', longMs)
      const paused = await front.post(`/v1/fine_tuning/jobs/${id}/pause`)
      expect({ status: paused.status, body: await paused.json() }).toMatchObject({
        status: 400,
        body: {
          error: { code: 'job_not_pausable', message: expect.stringContaining('another server trains its model') },
        },
      })
      expect((await front.post(`/v1/fine_tuning/jobs/${id}/cancel`)).status).toBe(200)
      await waitUntil(async () => (await jobsOf(trainer))[0]?.status === 'cancelled', longMs)
      expect(await find(front, id)).toMatchObject({ status: 'cancelled' })
    },
    longMs,
  )
})
