// Fine-tuning by a model server: files, jobs, and what it tells of them.
import { z } from 'zod'
import type { Call } from '../call.ts'
import type { RemoteCheckpoint, RemoteEvent, RemoteJob, RemoteJobRequest, TrainingServer } from '../train.ts'
import { senseless } from './problems.ts'
import type { Server } from './server.ts'

const jobs = '/fine_tuning/jobs'
const pageSize = 100
/** More than any training tells; a server that never comes to an end is left. */
const maxPages = 1_000

const text = z.string().max(100_000)
const id = z.string().min(1).max(1_000)
const Found = z.object({ id })
const File = z.object({ id, filename: text.nullish() })
const Job = z.object({
  id,
  status: text,
  training_file: text,
  fine_tuned_model: text.nullish().transform((value) => value ?? null),
  result_files: z
    .array(text)
    .max(100)
    .nullish()
    .transform((value) => value ?? []),
  trained_tokens: z
    .int()
    .nullish()
    .transform((value) => value ?? null),
  estimated_finish: z
    .int()
    .nullish()
    .transform((value) => value ?? null),
  hyperparameters: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((value) => value ?? {}),
  // A job without a failure has an error without words at some servers.
  error: z
    .object({ code: text.nullish(), message: text.nullish(), param: text.nullish() })
    .nullish()
    .transform((error) =>
      error?.message ? { code: error.code ?? 'failed', message: error.message, param: error.param ?? null } : null,
    ),
})
const Event = z.object({
  id,
  level: text.default('info'),
  message: text,
  type: text.default('message'),
  data: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((value) => value ?? null),
})
const Checkpoint = z.object({
  id,
  fine_tuned_model_checkpoint: id,
  step_number: z.int().min(0),
  metrics: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((given) =>
      Object.fromEntries(
        Object.entries(given ?? {}).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
      ),
    ),
})

export class UpstreamTraining implements TrainingServer {
  readonly #server: Server
  readonly model: string

  constructor(server: Server, model: string) {
    this.#server = server
    this.model = model
  }

  async upload({ name, path }: { name: string; path: string }, call: Call): Promise<string> {
    const { json } = await this.#server.sendFile('/files', { purpose: 'fine-tune' }, { name, path }, call)
    return read(Found, json).id
  }

  async findUpload(name: string, call: Call): Promise<string | undefined> {
    for await (const file of this.#list(File, '/files', { purpose: 'fine-tune' }, call)) {
      if (file.filename === name) return file.id
    }
    return undefined
  }

  async create(job: RemoteJobRequest, call: Call): Promise<RemoteJob> {
    return read(Job, (await this.#server.askOnce(jobs, { model: this.model, ...job }, call)).json)
  }

  async findByFile(trainingFile: string, call: Call): Promise<RemoteJob | undefined> {
    for await (const job of this.#list(Job, jobs, {}, call)) if (job.training_file === trainingFile) return job
    return undefined
  }

  async find(jobId: string, call: Call): Promise<RemoteJob> {
    return read(Job, (await this.#server.get(`${jobs}/${encodeURIComponent(jobId)}`, call)).json)
  }

  async events(jobId: string, after: string | undefined, call: Call): Promise<RemoteEvent[]> {
    const news: RemoteEvent[] = []
    // The newest come first, everywhere.
    for await (const event of this.#list(Event, `${jobs}/${encodeURIComponent(jobId)}/events`, {}, call)) {
      if (event.id === after) break
      news.push(event)
    }
    return news.reverse()
  }

  async checkpoints(jobId: string, call: Call): Promise<RemoteCheckpoint[]> {
    const all: RemoteCheckpoint[] = []
    const path = `${jobs}/${encodeURIComponent(jobId)}/checkpoints`
    for await (const checkpoint of this.#list(Checkpoint, path, {}, call)) all.push(checkpoint)
    return all.sort((one, other) => one.step_number - other.step_number)
  }

  async cancel(jobId: string, call: Call): Promise<void> {
    await this.#server.ask(`${jobs}/${encodeURIComponent(jobId)}/cancel`, {}, call)
  }

  content(fileId: string, call: Call): Promise<AsyncGenerator<Uint8Array>> {
    return this.#server.getBytes(`/files/${encodeURIComponent(fileId)}/content`, call)
  }

  async *#list<Item extends { id: string }>(
    schema: z.ZodType<Item>,
    path: string,
    query: Record<string, string>,
    call: Call,
  ): AsyncGenerator<Item> {
    const Page = z.object({ data: z.array(schema).max(10_000), has_more: z.boolean().nullish() })
    let after: string | undefined
    for (let page = 0; page < maxPages; page++) {
      const asked = new URLSearchParams({ ...query, limit: String(pageSize), ...(after !== undefined && { after }) })
      const { data, has_more } = read(Page, (await this.#server.get(`${path}?${asked}`, call)).json)
      yield* data
      const last = data.at(-1)?.id
      if (has_more !== true || last === undefined || last === after) return
      after = last
    }
  }
}

function read<Value>(schema: z.ZodType<Value>, json: unknown): Value {
  const found = schema.safeParse(json)
  if (found.success) return found.data
  throw senseless(`sent an answer of another shape (${found.error.issues[0]?.path.join('.') ?? ''})`)
}
