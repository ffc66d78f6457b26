import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OpenAI4, OpenAI7 } from '@atoll/testkit/openai-clients'
import { beforeAll, expect, it } from 'vitest'
import { describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { checkPublished } from '../../testing/published-schemas.ts'
import { waitUntil } from '../../testing/wait-until.ts'
import type { FineTuningJob } from './schema.ts'
import {
  addExamples,
  conversation,
  create,
  ended,
  eventsOf,
  examples,
  find,
  jsonl,
  longMs,
  refusal,
  smallModelFile,
  tuningOptions,
} from './testing/tuning-test.ts'

let file: string
beforeAll(async () => {
  file = await smallModelFile()
})
const options = () => tuningOptions(file)

const many = { n_epochs: 12, batch_size: 5, learning_rate_multiplier: 20 }

describePlatformOnSqlite('fine-tuning', (start) => {
  it(
    'INF-129 INF-133 INF-136 INF-137 INF-138 INF-139 INF-140 INF-141 INF-142 INF-143 INF-144 INF-145 INF-148 INF-190 teaches a model what a file shows, and serves it',
    async () => {
      const platform = await start(options())
      const client = new OpenAI4({ baseURL: `${platform.url}/v1`, apiKey: platform.apiKey })
      const [training_file, validation_file] = await Promise.all([
        addExamples(platform),
        addExamples(platform, [conversation('the inn', 'yes'), conversation('a sun', 'yes')]),
      ])
      const created = await client.fineTuning.jobs.create({
        ...{ model: 'small', training_file, validation_file, hyperparameters: many, suffix: 'yes-man', seed: 7 },
      })
      expect(created).toMatchObject({
        ...{ object: 'fine_tuning.job', status: 'queued', model: 'small', training_file, validation_file, seed: 7 },
        ...{ fine_tuned_model: null, finished_at: null, result_files: [], trained_tokens: null, integrations: [] },
      })
      const job = await ended(platform, created.id)
      expect(job).toMatchObject({ status: 'succeeded', error: null, hyperparameters: many, estimated_finish: null })
      expect(job.fine_tuned_model).toMatch(/^ft:small:[\w-]+:yes-man:\w{8}$/)
      expect(job.finished_at).toBeGreaterThanOrEqual(job.created_at)
      expect(job.trained_tokens).toBeGreaterThan(12 * 10 * 4)

      const [results] = job.result_files
      expect((await client.files.retrieve(results!)).purpose).toBe('fine-tune-results')
      const table = (await (await client.files.content(results!)).text()).trim().split('\n')
      expect(table[0]).toBe('step,train_loss,train_accuracy,valid_loss,valid_mean_token_accuracy')
      expect(table).toHaveLength(1 + 24)
      expect(table.at(-1)).toMatch(/^24,[\d.]+,[\d.]+,[\d.]+,[\d.]+$/)

      const ask = async (model: string, question: string): Promise<string | null> => {
        const messages = [{ role: 'user' as const, content: question }]
        const answer = await client.chat.completions.create({ model, messages, temperature: 0, max_tokens: 5 })
        // The base is called as in its file.
        expect(answer.model).toBe(model === 'small' ? 'random' : model)
        return answer.choices[0]!.message.content
      }
      expect(await ask('small', 'an end')).not.toBe('yes')
      expect(await ask(job.fine_tuned_model!, 'an end')).toBe('yes')
      expect(await ask('small', 'an end')).not.toBe('yes')
    },
    longMs,
  )

  it(
    'INF-118 INF-146 INF-147 INF-150 INF-151 INF-152 INF-153 INF-154 INF-155 INF-156 tells of its steps, keeps the last epochs as models, and lets them be deleted',
    async () => {
      const platform = await start(options())
      const client = new OpenAI4({ baseURL: `${platform.url}/v1`, apiKey: platform.apiKey })
      const training_file = await addExamples(platform)
      const validation_file = await addExamples(platform, [conversation('the inn', 'yes')])
      const hyperparameters = { n_epochs: 4, batch_size: 10 }
      const { id } = await create(platform, { training_file, validation_file, hyperparameters })
      const { fine_tuned_model: model } = await ended(platform, id)

      const events = []
      for await (const event of client.fineTuning.jobs.listEvents(id, { limit: 3 })) events.push(event)
      for (const event of events) checkPublished('FineTuningJobEvent', event)
      expect(events.map(({ message }) => message).reverse()).toEqual([
        `Created fine-tuning job: ${id}`,
        `Validating training file: ${training_file} and validation file: ${validation_file}`,
        'Files validated',
        expect.stringMatching('^This model is reminded of'),
        'Fine-tuning job started',
        ...[1, 2, 3, 4].map((step) => expect.stringMatching(`^Step ${step}/4: training loss=\\d+\\.\\d\\d$`)),
        expect.stringMatching('^Checkpoint created at step 2'),
        expect.stringMatching('^Checkpoint created at step 3'),
        `New fine-tuned model created: ${model}`,
        'The job has successfully completed',
      ])
      expect(new Set(events.map(({ level }) => level))).toEqual(new Set(['info', 'warn']))

      const checkpoints = await client.fineTuning.jobs.checkpoints.list(id)
      for (const checkpoint of checkpoints.data) checkPublished('FineTuningJobCheckpoint', checkpoint)
      const { data } = checkpoints
      const page = await (await platform.get(`/v1/fine_tuning/jobs/${id}/checkpoints`)).json()
      expect(page).toMatchObject({ object: 'list', first_id: data[0]!.id, last_id: data[2]!.id, has_more: false })
      expect(checkpoints.data.map(({ step_number }) => step_number)).toEqual([4, 3, 2])
      expect(checkpoints.data[0]).toMatchObject({
        object: 'fine_tuning.job.checkpoint',
        ...{ fine_tuning_job_id: id, fine_tuned_model_checkpoint: model },
        metrics: {
          step: 4,
          ...{ train_loss: expect.any(Number), train_mean_token_accuracy: expect.any(Number) },
          ...{ valid_loss: expect.any(Number), valid_mean_token_accuracy: expect.any(Number) },
          ...{ full_valid_loss: expect.any(Number), full_valid_mean_token_accuracy: expect.any(Number) },
        },
      })
      const listed = (await client.models.list()).data.map((one) => one.id)
      expect(listed).toEqual(expect.arrayContaining(checkpoints.data.map((one) => one.fine_tuned_model_checkpoint)))

      expect(await client.models.del(model!)).toEqual({ id: model, object: 'model', deleted: true })
      const chat = { model, messages: [{ role: 'user', content: 'on' }], max_tokens: 2 }
      expect((await platform.post('/v1/chat/completions', chat)).status).toBe(404)
      const other = checkpoints.data[1]!.fine_tuned_model_checkpoint
      expect((await platform.post('/v1/chat/completions', { ...chat, model: other })).status).toBe(200)

      expect(await refusal(platform, { model: other, training_file })).toMatchObject({
        ...{ status: 400, param: 'model', code: 'model_not_available' },
        message: expect.stringContaining(`'${other}' is fine-tuned already, and is no base for another training.`),
      })
      expect((await client.fineTuning.jobs.list({ limit: 1 })).data).toMatchObject([{ id }])
      const stranger = await platform.addProject('other')
      expect((await stranger.get(`/v1/fine_tuning/jobs/${id}`)).status).toBe(404)
      expect((await stranger.post('/v1/chat/completions', { ...chat, model: other })).status).toBe(404)
    },
    longMs,
  )

  it('INF-130 INF-131 INF-132 INF-134 refuses what cannot be trained', async () => {
    const platform = await start(options())
    const training_file = await addExamples(platform)
    const batch = (await platform.addFile('batch.jsonl', jsonl(examples), 'batch')).id
    expect(await refusal(platform, {})).toMatchObject({ status: 400, param: 'training_file' })
    expect(await refusal(platform, { model: undefined, training_file })).toMatchObject({ status: 400, param: 'model' })
    expect(await refusal(platform, { model: 'gpt-5', training_file })).toMatchObject({ status: 404 })
    expect(await refusal(platform, { model: 'text-embedding-3-small', training_file })).toMatchObject({
      ...{ status: 400, param: 'model', code: 'model_not_available' },
    })
    expect(await refusal(platform, { training_file: batch })).toMatchObject({ status: 400, param: 'training_file' })
    expect(await refusal(platform, { training_file, validation_file: batch })).toMatchObject({
      ...{ status: 400, param: 'validation_file', code: 'invalid_purpose' },
    })
    expect(await refusal(platform, { training_file: 'file-none' })).toMatchObject({ code: 'file_not_found' })
    expect(
      await refusal(platform, { training_file, integrations: [{ type: 'wandb', wandb: { project: 'x' } }] }),
    ).toMatchObject({
      ...{ status: 400, param: 'integrations' },
    })
    expect(await refusal(platform, { training_file, hyperparameters: { n_epochs: 51 } })).toMatchObject({ status: 400 })
    for (const [fields, param, told] of [
      [{ hyperparameters: { n_epochs: '3' } }, 'hyperparameters.n_epochs', "from 1 to 50 or 'auto', but got '3'."],
      [{ hyperparameters: { batch_size: 1.5 } }, 'hyperparameters.batch_size', "'auto', but got a decimal number"],
      [
        { suffix: 'my model' },
        'suffix',
        "of the letters A to Z and a to z, digits, '-', '_' and '.', but got 'my model'.",
      ],
    ] as const) {
      const message = expect.stringContaining(told)
      expect(await refusal(platform, { training_file, ...fields })).toMatchObject({ status: 400, param, message })
    }
    expect(await refusal(platform, { training_file, method: { type: 'dpo', dpo: {} } })).toMatchObject({
      ...{ status: 400, param: 'method.type', code: 'unsupported_parameter' },
    })
    const twice = { hyperparameters: many, method: { type: 'supervised', supervised: { hyperparameters: many } } }
    expect(await refusal(platform, { training_file, ...twice })).toMatchObject({
      ...{ status: 400, param: 'hyperparameters' },
    })
    expect((await (await platform.get('/v1/fine_tuning/jobs')).json()) as object).toMatchObject({ data: [] })
  })

  it('takes the method and the metadata of later clients, and shows them', async () => {
    const platform = await start(options())
    const client = new OpenAI7({ baseURL: `${platform.url}/v1`, apiKey: platform.apiKey })
    const method = { type: 'supervised' as const, supervised: { hyperparameters: { n_epochs: 2 } } }
    const training_file = await addExamples(platform)
    const { id } = await client.fineTuning.jobs.create({
      ...{ model: 'small', training_file, method, metadata: { team: 'inn' } },
    })
    await client.fineTuning.jobs.cancel(id)
    const job = await client.fineTuning.jobs.retrieve(id)
    expect(job).toMatchObject({ metadata: { team: 'inn' }, hyperparameters: { n_epochs: 2 }, method })
    const plain = await client.fineTuning.jobs.create({ model: 'small', training_file })
    expect(plain).toMatchObject({ metadata: null, method: { type: 'supervised' } })
    await client.fineTuning.jobs.cancel(plain.id)
  })

  it(
    'INF-135 INF-157 INF-158 INF-159 INF-160 tells every line that cannot be learnt from, and learns calls of tools',
    async () => {
      const platform = await start(options())
      const call = (name: string, args: string) => ({
        messages: [
          { role: 'user', content: 'on' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c1', type: 'function', function: { name, arguments: args } }],
          },
        ],
        tools: [
          { type: 'function', function: { name: 'lamp', description: 'A lamp', parameters: { type: 'object' } } },
        ],
        parallel_tool_calls: false,
      })
      const bad = await addExamples(platform, [
        ...examples,
        { messages: [{ role: 'user', content: 'alone' }] },
        { messages: [{ role: 'robot', content: 'x' }] },
        call('door', '{}'),
        call('lamp', 'on'),
      ])
      const failed = await ended(platform, (await create(platform, { training_file: bad })).id)
      expect(failed).toMatchObject({
        status: 'failed',
        error: { code: 'invalid_training_file', param: 'training_file' },
      })
      expect(failed.error!.message.split('\n')).toEqual([
        'The training file has 4 lines that cannot be learnt from.',
        "Line 11: it has no message of the role 'assistant' to learn from.",
        expect.stringMatching(/^Line 12: messages\[0\]\.role: /),
        "Line 13: messages[1]: it calls 'door', which is not among the example's 'tools'.",
        "Line 14: messages[1]: the arguments of 'lamp' are no JSON object, or one nested more than 100 deep.",
      ])
      const few = await ended(
        platform,
        (await create(platform, { training_file: await addExamples(platform, examples.slice(1)) })).id,
      )
      expect(few.error).toMatchObject({ message: 'The training file has 9 examples; at least 10 are needed.' })
      const training_file = await addExamples(platform, [...examples, call('lamp', '{"on": true}')])
      const common = await create(platform, {
        training_file,
        validation_file: await addExamples(platform, examples.slice(3, 4)),
      })
      expect((await ended(platform, common.id)).error).toEqual({
        code: 'invalid_validation_file',
        message:
          'The training and the validation file have examples in common.\nLine 1: it is the same example as line 4 of the training file.',
        param: 'validation_file',
      })
      const taught = await create(platform, { training_file, hyperparameters: { n_epochs: 1 } })
      expect(await ended(platform, taught.id)).toMatchObject({
        status: 'succeeded',
        hyperparameters: { batch_size: 1 },
      })
    },
    longMs,
  )

  it(
    'INF-149 stops when it is cancelled, and leaves no model behind',
    async () => {
      const platform = await start(options())
      const training_file = await addExamples(platform)
      const { id } = await create(platform, { training_file, hyperparameters: { n_epochs: 50, batch_size: 1 } })
      await waitUntil(async () => (await find(platform, id)).status === 'running', longMs)
      const cancelled = (await (
        await platform.post(`/v1/fine_tuning/jobs/${id}/cancel`)
      ).json()) as unknown as FineTuningJob
      expect(cancelled).toMatchObject({
        id,
        status: 'cancelled',
        fine_tuned_model: null,
        finished_at: expect.any(Number),
      })
      expect(await find(platform, id)).toMatchObject({ status: 'cancelled' })
      const folder = join(platform.kernel.folder, 'fine-tuning', id)
      await waitUntil(() => !existsSync(folder), longMs)
      expect((await (await platform.get('/v1/models')).json()) as object).toMatchObject({ data: { length: 2 } })
    },
    longMs,
  )
})

describePlatformOnSqlite('a fine-tuning job that is interrupted', (start) => {
  it(
    'goes on from its last step and tells each of them once, though its file is deleted and steps are done again',
    async () => {
      const first = await start(options())
      const lines = Array.from({ length: 60 }, (_, at) => conversation(`the inn ${at}`, 'yes '.repeat(80)))
      const training_file = await addExamples(first, lines)
      // No step of it is recorded before the last.
      const { id } = await create(first, { training_file, hyperparameters: { n_epochs: 1, batch_size: 1 }, seed: 3 })
      const told = async (platform: TestPlatform): Promise<number[]> =>
        (await eventsOf(platform, id)).flatMap(({ data }) => (data === null ? [] : [(data as { step: number }).step]))
      await waitUntil(async () => (await told(first)).length >= 6, longMs)
      await first.delete(`/v1/files/${training_file}`)
      // Closed in an orderly way it would have seconds to end.
      await first.kernel.jobs.stop(0)
      await first.close()
      const second = await start({ ...options(), after: first })
      expect((await told(second)).length).toBeLessThan(60)
      expect(await ended(second, id)).toMatchObject({ status: 'succeeded' })
      expect(await told(second)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
    },
    longMs,
  )
})
