// Runs and their steps, on top of those of the second form.
import type { PageQuery } from '@atoll/kernel/db/page'
import type { ProjectCaller } from '../../callers.ts'
import type { ListEnvelope } from '../../conventions/lists.ts'
import { inWordsOfV1 } from '../../errors/assistants-v1.ts'
import type { SubmitToolOutputs, UpdateRun } from '../threads/runs/schema.ts'
import type { Runs } from '../threads/runs/service.ts'
import type { RunSteps } from '../threads/runs/steps/service.ts'
import type { RunEvent } from '../threads/runs/stream/events.ts'
import { eventsToV1 } from './event-forms.ts'
import { Quotes } from './quotes.ts'
import { runToV1, runToV2, stepToV1, threadAndRunToV2 } from './run-form.ts'
import type { CreateRunV1, CreateThreadAndRunV1, RunStepV1, RunV1 } from './run-schema.ts'

interface Parts {
  runs: Runs
  steps: RunSteps
}

type EventsV1 = ReturnType<typeof eventsToV1>

export class RunsV1 {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async create(caller: ProjectCaller, threadId: string, request: CreateRunV1): Promise<RunV1> {
    return runToV1(await inWordsOfV1(this.#parts.runs.create(caller, threadId, runToV2(request))))
  }

  createStream(caller: ProjectCaller, threadId: string, request: CreateRunV1, signal: AbortSignal): Promise<EventsV1> {
    return this.#stream(caller, this.#parts.runs.createStream(caller, threadId, runToV2(request), { signal }))
  }

  async createThreadAndRun(caller: ProjectCaller, request: CreateThreadAndRunV1): Promise<RunV1> {
    return runToV1(await inWordsOfV1(this.#parts.runs.createThreadAndRun(caller, threadAndRunToV2(request))))
  }

  createThreadAndRunStream(
    caller: ProjectCaller,
    request: CreateThreadAndRunV1,
    signal: AbortSignal,
  ): Promise<EventsV1> {
    const { runs } = this.#parts
    return this.#stream(caller, runs.createThreadAndRunStream(caller, threadAndRunToV2(request), { signal }))
  }

  async list(caller: ProjectCaller, threadId: string, page: PageQuery): Promise<ListEnvelope<RunV1>> {
    const found = await this.#parts.runs.list(caller, threadId, page)
    return { ...found, data: found.data.map(runToV1) }
  }

  async get(caller: ProjectCaller, threadId: string, id: string): Promise<RunV1> {
    return runToV1(await this.#parts.runs.get(caller, threadId, id))
  }

  async update(caller: ProjectCaller, threadId: string, id: string, request: UpdateRun): Promise<RunV1> {
    return runToV1(await this.#parts.runs.update(caller, threadId, id, request))
  }

  async cancel(caller: ProjectCaller, threadId: string, id: string): Promise<RunV1> {
    return runToV1(await this.#parts.runs.cancel(caller, threadId, id))
  }

  async submitToolOutputs(
    caller: ProjectCaller,
    threadId: string,
    id: string,
    request: SubmitToolOutputs,
  ): Promise<RunV1> {
    return runToV1(await this.#parts.runs.submitToolOutputs(caller, threadId, id, request))
  }

  submitToolOutputsStream(
    caller: ProjectCaller,
    threadId: string,
    id: string,
    request: SubmitToolOutputs,
    signal: AbortSignal,
  ): Promise<EventsV1> {
    const { runs } = this.#parts
    return this.#stream(caller, runs.submitToolOutputsStream(caller, threadId, id, request, { signal }))
  }

  async listSteps(
    caller: ProjectCaller,
    threadId: string,
    runId: string,
    page: PageQuery,
  ): Promise<ListEnvelope<RunStepV1>> {
    const found = await this.#parts.steps.list(caller, threadId, runId, page)
    return { ...found, data: found.data.map(stepToV1) }
  }

  async getStep(caller: ProjectCaller, threadId: string, runId: string, id: string): Promise<RunStepV1> {
    return stepToV1(await this.#parts.steps.get(caller, threadId, runId, id))
  }

  async #stream(caller: ProjectCaller, started: Promise<AsyncIterable<RunEvent>>): Promise<EventsV1> {
    return eventsToV1(await inWordsOfV1(started), new Quotes(this.#parts.steps, caller))
  }
}
