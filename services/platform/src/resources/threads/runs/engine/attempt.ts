// One attempt at a run: from where the last one stopped, through the loop, to its end, or to where the caller is needed.
import { unixSeconds } from '@atoll/kernel/clock/clock'
import { together } from '@atoll/kernel/db/together'
import type { RunningJob } from '@atoll/kernel/jobs/jobs'
import type { ChoiceDelta, ToolCall } from '@atoll/models/chat'
import { type Answered, Spent } from '../../../../tool-loop/ask-model.ts'
import { workLoop } from '../../../../tool-loop/loop.ts'
import { LoopTools } from '../../../../tool-loop/loop-tools.ts'
import type { Prompt } from '../../../../tool-loop/prompt.ts'
import type { CallContext, CallOutcome, LoopRecord } from '../../../../tool-loop/record.ts'
import type { IncompleteReason } from '../schema.ts'
import { changeStep, type StepRow } from '../steps/step-rows.ts'
import { runReached, stepEvent } from '../stream/events.ts'
import { type Ending, type EndOptions, endRunIn } from './endings.ts'
import { type Ledger, RunChanged } from './ledger.ts'
import { beginWithSearch } from './own-search.ts'
import { isCalls, requiredAction, workOf } from './recorded-calls.ts'
import { type RunWork, readWork } from './run-work.ts'
import { callProgress, openCalls, sourcesOf, writeResult } from './step-calls.ts'
import { interrupted, Turn } from './turn.ts'
import { endedBudget, isJsonAnswer, turnPrompt, unshownImages, writtenMessages } from './turn-input.ts'
import type { WorkParts } from './work-parts.ts'

const working = ['queued', 'in_progress'] as const

/** What is known once the work has begun. */
interface Begun {
  work: RunWork
  tools: LoopTools
}

export class RunAttempt implements LoopRecord {
  readonly #parts: WorkParts
  readonly #job: RunningJob<unknown>
  readonly #ledger: Ledger
  readonly #signal: AbortSignal
  #begun: Begun | undefined
  #turn: Turn | undefined
  #spent = new Spent()

  /** `signal` stops the work, whatever the reason. */
  constructor(parts: WorkParts, job: RunningJob<unknown>, ledger: Ledger, signal: AbortSignal) {
    this.#parts = parts
    this.#job = job
    this.#ledger = ledger
    this.#signal = signal
  }

  /** Resolves when the job has come to its end. */
  async work(): Promise<void> {
    const ledger = this.#ledger
    ledger.beginSoon()
    const work = await readWork(this.#parts, ledger.run)
    const { caller, settings, threadResources } = work
    const context = { caller, assistantResources: settings.tool_resources, threadResources }
    const tools = await LoopTools.of(settings.tools, this.#parts.tools, context)
    this.#begun = { work, tools }
    await this.#closeCutOff()
    await beginWithSearch(this.#parts, ledger, this.#begun)
    const { inference, contextLengths } = this.#parts
    const { model } = settings
    await workLoop({ inference, contextLengths, caller, model, tools, record: this, signal: this.#signal })
  }

  /** Ends the run with what has been written of it. Nothing happens when somebody else has ended it. */
  async end(ending: Ending, options: EndOptions = {}): Promise<void> {
    const ledger = this.#ledger
    await ledger.settle()
    const { run } = ledger
    const { promptTokens, completionTokens } = this.#spent
    const isBeforeStart = ending.status === 'cancelled' || ending.status === 'expired'
    const all: EndOptions = {
      change: {
        started_at: run.started_at ?? (isBeforeStart ? null : unixSeconds(this.#parts.clock)),
        prompt_tokens: run.prompt_tokens + promptTokens,
        completion_tokens: run.completion_tokens + completionTokens,
      },
      usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens },
      drafts: this.#turn?.drafts() ?? new Map(),
      ...options,
    }
    const events = await this.#parts.db.transaction(async (tx) => {
      const [ended] = await together([endRunIn(tx, this.#parts, run.id, ending, all), this.#job.finish(tx)])
      if (ended === undefined && options.from !== undefined) throw new RunChanged()
      return ended
    })
    if (events === undefined) return
    if (!ledger.hasBegun && !isBeforeStart) {
      ledger.tell(runReached({ ...run, ...all.change, status: 'in_progress' }))
    }
    for (const event of events) ledger.tell(event)
  }

  /** Calls that an earlier attempt had not heard to the end. */
  async #closeCutOff(): Promise<void> {
    const cutOff = this.#ledger.steps.filter(
      (step) => step.status === 'in_progress' && isCalls(step) && workOf(step).calls.length === 0,
    )
    if (cutOff.length === 0) return
    await this.#ledger.write({}, async (tx, now) => {
      const change = { ...interrupted(now), prompt_tokens: 0, completion_tokens: 0 }
      const steps: StepRow[] = []
      for (const { id } of cutOff) steps.push(await changeStep(tx, id, change))
      return { steps, events: steps.map((step) => stepEvent('failed', step)) }
    })
  }

  get turns(): number {
    return this.#ledger.run.turns
  }

  get spent(): Spent {
    return this.#spent
  }

  openCalls(): ToolCall[] {
    const step = this.#openCallStep()
    return step === undefined ? [] : openCalls(step, this.#known.tools)
  }

  callContext(call: ToolCall): CallContext {
    const { settings, threadResources } = this.#known.work
    const { run, steps } = this.#ledger
    return {
      ...{ runId: run.id, threadId: run.thread_id, assistantId: run.assistant_id },
      assistantResources: settings.tool_resources,
      threadResources,
      found: sourcesOf(steps).passages,
      progress: callProgress(this.#ledger, this.#callStep, call),
    }
  }

  writeResult(call: ToolCall, outcome: CallOutcome): Promise<void> {
    return writeResult(this.#ledger, this.#callStep, call, outcome)
  }

  async leaveToCaller(): Promise<boolean> {
    const waiting = this.#openCallStep()
    if (waiting === undefined) return false
    const required_action = JSON.stringify(requiredAction(waiting))
    await this.#ledger.write({ status: 'requires_action', required_action }, async (tx) => {
      await this.#job.finish(tx)
      return {}
    })
    return true
  }

  async nextPrompt(): Promise<Prompt | undefined> {
    const ledger = this.#ledger
    const { run, steps } = ledger
    const { work, tools } = this.#known
    this.#turn = undefined
    this.#spent = new Spent()
    const ended = endedBudget(work.settings, run)
    if (ended !== undefined) return void (await this.#endIncomplete(ended))
    const written = await writtenMessages(this.#parts, work, ledger)
    const prompt = turnPrompt({ work, tools, run, steps, written, contextLengths: this.#parts.contextLengths })
    if (prompt.isOverBudget) return void (await this.#endIncomplete('max_prompt_tokens'))
    const sources = sourcesOf(steps)
    this.#turn = new Turn(this.#parts, ledger, {
      number: run.turns + 1,
      tools,
      sources: isJsonAnswer(work.settings) ? { passages: [], files: [] } : sources,
      images: unshownImages(sources.files, written),
    })
    return prompt
  }

  async add(piece: ChoiceDelta): Promise<void> {
    await this.#turn?.add(piece)
  }

  async closeTurn(answer: Answered): Promise<boolean> {
    const turn = this.#turn as Turn
    await turn.end()
    const { promptTokens: prompt_tokens, completionTokens: completion_tokens } = answer
    const step = turn.callStep({ prompt_tokens, completion_tokens })
    return step === undefined ? this.#finishMessage(answer) : this.#finishCalls({ answer, turn, step })
  }

  get #known(): Begun {
    if (this.#begun === undefined) throw new Error('The work on a run has not begun.')
    return this.#begun
  }

  #openCallStep(): StepRow | undefined {
    return this.#ledger.steps.find((step) => step.status === 'in_progress' && isCalls(step))
  }

  get #callStep(): StepRow {
    const step = this.#openCallStep()
    if (step === undefined) throw new Error('A call has no open step.')
    return step
  }

  async #endIncomplete(reason: IncompleteReason, options: EndOptions = {}): Promise<true> {
    await this.end({ status: 'incomplete', reason }, { from: working, ...options })
    return true
  }

  async #finishMessage(answer: Answered): Promise<true> {
    const { settings } = this.#known.work
    if (answer.finish === 'length') return this.#endIncomplete('max_completion_tokens')
    const { run } = this.#ledger
    const isOver = (settings.max_prompt_tokens ?? Number.POSITIVE_INFINITY) < run.prompt_tokens + answer.promptTokens
    if (isOver) return this.#endIncomplete('max_prompt_tokens', { isWhole: true })
    await this.end({ status: 'completed' }, { from: working })
    return true
  }

  /** True when all of the calls are the caller's to make. */
  async #finishCalls({ answer, turn, step }: Called): Promise<boolean> {
    const { work, tools } = this.#known
    if (answer.finish === 'length') return this.#endIncomplete('max_completion_tokens')
    const { run } = this.#ledger
    const counted = {
      turns: run.turns + 1,
      prompt_tokens: run.prompt_tokens + answer.promptTokens,
      completion_tokens: run.completion_tokens + answer.completionTokens,
    }
    // Outputs that no turn could read any more are not asked for.
    const ended = endedBudget(work.settings, counted)
    if (ended !== undefined) return this.#endIncomplete(ended)
    const isForCaller = openCalls(step, tools).length === 0
    const action = isForCaller && {
      status: 'requires_action' as const,
      required_action: JSON.stringify(requiredAction(step)),
    }
    await this.#ledger.write({ ...counted, ...action }, async (tx, now) => {
      if (isForCaller) await this.#job.finish(tx)
      return turn.recordCalls(tx, now, step)
    })
    return isForCaller
  }
}

/** An answer of the model that calls tools. */
interface Called {
  answer: Answered
  turn: Turn
  step: StepRow
}
