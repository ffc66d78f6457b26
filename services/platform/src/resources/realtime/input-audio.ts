// The sound that comes in: a buffer that the client commits, or that is cut into turns where speech ends.
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { SpeechListener } from '@atoll/models/transcribe'
import type { ProjectCaller } from '../../callers.ts'
import { realtimeErrors } from '../../errors/realtime.ts'
import type { Inference } from '../../inference/inference.ts'
import type { AudioFormat, Clip } from './audio/formats.ts'
import { eventError } from './event-error.ts'
import type { Emit } from './events.ts'
import { InputBuffer } from './input-buffer.ts'
import { Listening } from './listening.ts'
import { LoudnessListener } from './loudness-listener.ts'
import type { SessionFields } from './schema.ts'
import { type TurnRules, turnRules } from './session-settings.ts'
import type { TurnChange } from './turn-detector.ts'

/** A quarter of an hour in the largest format. */
const maxBufferBytes = 48 * 1024 * 1024
const leastCommitMs = 100
/** Kept of silence, besides what a turn begins with: the detector lags behind. */
const slackMs = 1_000

interface Parts {
  inference: Inference
  ids: Ids
  log: Log
  caller: ProjectCaller
  voiceModels: { transcription: string }
  emit: Emit
  /** Somebody has begun to speak. */
  onStarted(): void
  /** Somebody has finished: what was said is an item with this id. */
  onTurn(itemId: string, clips: Clip[]): void
}

export class InputAudio {
  readonly #parts: Parts
  readonly #buffer = new InputBuffer()
  readonly #closing = new AbortController()
  #rules: TurnRules | undefined
  #listening: Listening | undefined
  /** The item that what is being said will be, and where it begins. */
  #turn: { itemId: string; startMs: number } | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  configure({ turn_detection }: SessionFields): void {
    const rules = turn_detection === null ? undefined : turnRules(turn_detection)
    if (JSON.stringify(rules) === JSON.stringify(this.#rules)) return
    this.#rules = rules
    this.#stopListening()
  }

  /** Nothing is told of it. AST-142 */
  append(bytes: Buffer, format: AudioFormat): void {
    if (this.#buffer.bytes + bytes.length > maxBufferBytes) throw realtimeErrors.bufferFull(maxBufferBytes)
    const startMs = this.#buffer.endMs
    const clip = this.#buffer.append(format, bytes)
    if (this.#rules === undefined || clip.bytes.length === 0) return
    this.#listening ??= this.#listen(this.#rules, startMs)
    this.#listening.add(clip)
  }

  /** What there is, as an item. AST-145 */
  commit(): { itemId: string; clips: Clip[] } {
    const ms = this.#buffer.endMs - this.#buffer.startMs
    if (ms < leastCommitMs) throw realtimeErrors.commitEmpty(ms)
    const itemId = this.#turn?.itemId ?? this.#parts.ids.next('item_')
    const clips = this.#buffer.take()
    this.#stopListening()
    return { itemId, clips }
  }

  clear(): void {
    this.#buffer.clear()
    this.#stopListening()
  }

  close(): void {
    this.#closing.abort()
    this.clear()
  }

  #stopListening(): void {
    this.#listening?.close()
    this.#listening = undefined
    this.#turn = undefined
  }

  #listen(rules: TurnRules, startMs: number): Listening {
    const { emit, log } = this.#parts
    return new Listening({
      rules,
      startMs,
      open: () => this.#openListener(),
      onChange: (change) => this.#change(change),
      onSilence: (ms) => this.#buffer.dropBefore(ms - rules.prefixMs - slackMs),
      onFailure: (error) => {
        this.#stopListening()
        emit({ type: 'error', error: { ...eventError(error, log), event_id: null } })
      },
    })
  }

  async #openListener(): Promise<SpeechListener> {
    const { inference, caller, voiceModels } = this.#parts
    const { port } = await inference.resolve(caller, voiceModels.transcription, 'transcription')
    const call = { signal: this.#closing.signal, turn: caller.projectId }
    return port.listen?.(call) ?? new LoudnessListener()
  }

  #change(change: TurnChange): void {
    const { emit, ids } = this.#parts
    if (change.kind === 'started') {
      const itemId = ids.next('item_')
      this.#turn = { itemId, startMs: change.startMs }
      emit({ type: 'input_audio_buffer.speech_started', audio_start_ms: Math.round(change.startMs), item_id: itemId })
      this.#parts.onStarted()
      return
    }
    if (this.#turn === undefined) return
    const { itemId, startMs } = this.#turn
    this.#turn = undefined
    emit({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: Math.round(change.endMs), item_id: itemId })
    this.#parts.onTurn(itemId, this.#buffer.take(startMs, change.endMs))
  }
}
