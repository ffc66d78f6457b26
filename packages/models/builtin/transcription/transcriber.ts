// The transcription model as the server sees it: a process that is started when needed and shared in fair turns.
import { createRequire } from 'node:module'
import type { Log } from '@atoll/kernel/telemetry/log'
import { Admission } from '../../admission.ts'
import type { Call } from '../../call.ts'
import { ModelProblem } from '../../problem.ts'
import type { MemoryBudget } from '../../process/memory-budget.ts'
import { SharedModel } from '../../process/shared-model.ts'
import type {
  HearingState,
  TranscriptionAnswered,
  TranscriptionQuestion,
  WriteDownQuestion,
  WrittenDown,
} from './protocol.ts'

const defaultIdleMs = 5 * 60_000
/** One project's files that are being transcribed or wait. */
const defaultMaxPending = 32
const maxWaiting = 512
const processBytes = 360 * 1024 ** 2
const retryAfterSeconds = 10

export interface TranscriberOptions {
  log: Log
  memory?: MemoryBudget
  backgroundShare?: number | undefined
  /** Unused for so long, the model is unloaded. */
  idleMs?: number
  maxPending?: number
  /** The program that decodes AAC. */
  ffmpeg?: string | undefined
}

export class Transcriber {
  readonly ffmpeg: string | undefined
  readonly #model: SharedModel<TranscriptionQuestion, TranscriptionAnswered>
  readonly #pending: Admission

  constructor({
    log,
    memory,
    backgroundShare,
    idleMs = defaultIdleMs,
    maxPending = defaultMaxPending,
    ffmpeg,
  }: TranscriberOptions) {
    this.ffmpeg = ffmpeg
    this.#pending = new Admission(maxPending)
    this.#model = new SharedModel({
      entry: new URL('./transcription-process.ts', import.meta.url),
      isUnhurried: true,
      what: 'The transcription model',
      // The process takes turns itself, and answers whether somebody speaks before anything else.
      places: 64,
      maxWaiting,
      backgroundShare,
      idleMs,
      log,
      ...(memory === undefined ? {} : { memory: { budget: memory, bytes: async () => processBytes } }),
    })
  }

  get isLoaded(): boolean {
    return this.#model.isLoaded
  }

  get pid(): number | undefined {
    return this.#model.pid
  }

  get pending(): number {
    return this.#pending.total
  }

  /** Counts a file in. Throws when too many are there already; the result counts it out. */
  enter({ turn }: Call): () => void {
    mustBeInstalled()
    const leave = this.#pending.enter(turn, 1)
    if (leave !== undefined) return leave
    throw new ModelProblem('The transcription model is busy and too many files wait for it already.', {
      kind: 'overloaded',
      retryAfterSeconds,
    })
  }

  async hear(samples: Float32Array, hearing: HearingState | undefined, call: Call) {
    const answer = await this.#model.ask({ ask: 'hear', samples, hearing }, call)
    if ('heard' in answer) return answer.heard
    throw new ModelProblem('The transcription model answered something else.', { kind: 'failed' })
  }

  async writeDown(question: Omit<WriteDownQuestion, 'ask'>, call: Call): Promise<WrittenDown> {
    const answer = await this.#model.ask({ ask: 'write-down', ...question }, call)
    if ('written' in answer) return answer.written
    throw new ModelProblem('The transcription model answered something else.', { kind: 'failed' })
  }

  async warm(call: Call): Promise<void> {
    mustBeInstalled()
    await this.#model.ask({ ask: 'warm' }, call)
  }

  close(): Promise<void> {
    return this.#model.close()
  }
}

const require = createRequire(import.meta.url)
let isInstalled = false

function mustBeInstalled(): void {
  if (isInstalled) return
  try {
    require.resolve('onnxruntime-node')
    isInstalled = true
  } catch {
    throw new ModelProblem(
      'The package onnxruntime-node is not installed. Delete the folder node_modules of this Atoll and start ./atoll up again: it installs what is missing.',
      {
        kind: 'not_installed',
      },
    )
  }
}
