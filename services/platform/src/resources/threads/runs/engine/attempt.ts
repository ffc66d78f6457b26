// One attempt at a run: from where the last one stopped, turn by turn, to its end, or to where the caller is needed.
import { unixSeconds } from '@atoll/kernel/clock/clock'
import { together } from '@atoll/kernel/db/together'
import type { RunningJob } from '@atoll/kernel/jobs/jobs'
import { runFailures } from '../../../../errors/runs.ts'
import type { IncompleteReason } from '../schema.ts'
import { changeStep, type StepRow } from '../steps/step-rows.ts'
import { runReached, stepEvent } from '../stream/events.ts'
import { type Answered, askModel, Spent } from './ask-model.ts'
import { contextLengthOf } from './context-length.ts'
import { type Ending, type EndOptions, endRunIn } from './endings.ts'
import { RunFailure } from './failure.ts'
import { makeCalls, openCalls, sourcesOf } from './hosted-calls.ts'
import { type Ledger, RunChanged } from './ledger.ts'
import { beginWithSearch } from './own-search.ts'
import { type Prompt, tooLong } from './prompt.ts'
import { isCalls, requiredAction, workOf } from './recorded-calls.ts'
import { RunTools } from './run-tools.ts'
import { type RunWork, readWork } from './run-work.ts'
import { interrupted, Turn } from './turn.ts'
import { endedBudget, isJsonAnswer, turnPrompt, unshownImages, writtenMessages } from './turn-input.ts'
import type { WorkParts } from './work-parts.ts'

/** A model that calls tools without end is stopped. */
export const maxTurns = 32

const working = ['queued', 'in_progress'] as const

export class RunAttempt {
  readonly #parts: WorkParts
  readonly #job: RunningJob<unknown>
  readonly #ledger: Ledger
  readonly #signal: AbortSignal
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
    const { caller, settings, threadResources, attachedFileIds } = work
    const context = { caller, assistantResources: settings.tool_resources, threadResources, attachedFileIds }
    const tools = await RunTools.of(settings.tools, this.#parts.tools, context)
    await this.#closeCutOff()
    await beginWithSearch(this.#parts, ledger, { work, tools })
    for (;;) {
      if (await this.#settleCalls(work, tools)) return
      if (ledger.run.turns >= maxTurns) throw new RunFailure('server_error', runFailures.tooManyTurns(maxTurns))
      if (await this.#takeTurn(work, tools)) return
    }
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

  /** Makes our own calls of the open step; true when the caller has to make others. */
  async #settleCalls(work: RunWork, tools: RunTools): Promise<boolean> {
    const step = this.#openCallStep()
    if (step === undefined) return false
    const contextLength = await contextLengthOf(this.#parts, work)
    await makeCalls(step, { ledger: this.#ledger, tools, work, contextLength, signal: this.#signal })
    const waiting = this.#openCallStep()
    if (waiting === undefined) return false
    await this.#waitForCaller(waiting)
    return true
  }

  #openCallStep(): StepRow | undefined {
    return this.#ledger.steps.find((step) => step.status === 'in_progress' && isCalls(step))
  }

  async #waitForCaller(step: StepRow): Promise<void> {
    const required_action = JSON.stringify(requiredAction(step))
    await this.#ledger.write({ status: 'requires_action', required_action }, async (tx) => {
      await this.#job.finish(tx)
      return {}
    })
  }

  /** Asks the model; true when the run is over, or waits for the caller. */
  async #takeTurn(work: RunWork, tools: RunTools): Promise<boolean> {
    const ledger = this.#ledger
    const { run, steps } = ledger
    this.#turn = undefined
    this.#spent = new Spent()
    const ended = endedBudget(work.settings, run)
    if (ended !== undefined) return this.#endIncomplete(ended)
    const written = await writtenMessages(this.#parts, work, ledger)
    const prompt = turnPrompt({ work, tools, run, steps, written, contextLengths: this.#parts.contextLengths })
    if (prompt.isOverBudget) return this.#endIncomplete('max_prompt_tokens')
    const sources = sourcesOf(steps)
    const turn = new Turn(this.#parts, ledger, {
      number: run.turns + 1,
      tools,
      sources: isJsonAnswer(work.settings) ? { passages: [], files: [] } : sources,
      images: unshownImages(sources.files, written),
    })
    this.#turn = turn
    const answer = await this.#ask(work, prompt, turn)
    await turn.end()
    const { promptTokens: prompt_tokens, completionTokens: completion_tokens } = answer
    const step = turn.callStep({ prompt_tokens, completion_tokens })
    return step === undefined
      ? this.#finishMessage(work, answer)
      : this.#finishCalls(work, tools, { answer, turn, step })
  }

  async #ask({ caller, settings }: RunWork, prompt: Prompt, turn: Turn): Promise<Answered> {
    const { inference, contextLengths } = this.#parts
    const { model } = settings
    for (;;) {
      try {
        const question = { caller, model, request: prompt.request(), signal: this.#signal }
        return await askModel(inference, question, (piece) => turn.add(piece), this.#spent)
      } catch (error) {
        const long = tooLong(error)
        if (long === undefined) throw error
        if (long.maxTokens !== undefined) contextLengths.set(model, long.maxTokens)
        if (!prompt.shrink(long)) throw error
      }
    }
  }

  async #endIncomplete(reason: IncompleteReason, options: EndOptions = {}): Promise<true> {
    await this.end({ status: 'incomplete', reason }, { from: working, ...options })
    return true
  }

  async #finishMessage({ settings }: RunWork, answer: Answered): Promise<true> {
    if (answer.finish === 'length') return this.#endIncomplete('max_completion_tokens')
    const { run } = this.#ledger
    const isOver = (settings.max_prompt_tokens ?? Number.POSITIVE_INFINITY) < run.prompt_tokens + answer.promptTokens
    if (isOver) return this.#endIncomplete('max_prompt_tokens', { isWhole: true })
    await this.end({ status: 'completed' }, { from: working })
    return true
  }

  /** True when all of the calls are the caller's to make. */
  async #finishCalls({ settings }: RunWork, tools: RunTools, { answer, turn, step }: Called): Promise<boolean> {
    if (answer.finish === 'length') return this.#endIncomplete('max_completion_tokens')
    const { run } = this.#ledger
    const counted = {
      turns: run.turns + 1,
      prompt_tokens: run.prompt_tokens + answer.promptTokens,
      completion_tokens: run.completion_tokens + answer.completionTokens,
    }
    // Outputs that no turn could read any more are not asked for.
    const ended = endedBudget(settings, counted)
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
