// A realtime session: its settings, its conversation, the sound that comes in and the responses that go out.
// It knows nothing of sockets: events come in through `take` and go out through `emit`.
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { ProjectCaller } from '../../callers.ts'
import { realtimeErrors } from '../../errors/realtime.ts'
import type { Inference } from '../../inference/inference.ts'
import { type Clip, msOf } from './audio/formats.ts'
import type { ClientEvent, ClientEvents } from './client-events.ts'
import { Conversation, heardParts } from './conversation.ts'
import { decodeAudio } from './decode-audio.ts'
import { eventError } from './event-error.ts'
import type { Emit } from './events.ts'
import { InputAudio } from './input-audio.ts'
import { type HeardPart, type Item, retrievedItem, shownItem } from './items.ts'
import { itemOf } from './new-item.ts'
import { Responses } from './responses.ts'
import type { SessionFields, SessionKind } from './schema.ts'
import { updateSettings } from './session-settings.ts'
import { transcribe } from './transcribing.ts'
import { spokenPart, truncate } from './truncate.ts'

/** Public ids of the models around the chat model. */
export interface VoiceModels {
  transcription: string
  speech: string
}

export interface SessionParts {
  inference: Inference
  ids: Ids
  log: Log
  caller: ProjectCaller
  kind: SessionKind
  /** The public id of the model that answers; of a session that only writes down, of the one that does. */
  model: string
  voiceModels: VoiceModels
  settings: SessionFields
  expiresAt: number
  emit: Emit
  /** Resolves when the client has taken enough of what was sent. */
  ready(): Promise<void>
}

/** What can be sent where nothing is answered. */
const ofTranscriptions = new Set<ClientEvent['type']>([
  'session.update',
  'input_audio_buffer.append',
  'input_audio_buffer.commit',
  'input_audio_buffer.clear',
])

export class Session {
  readonly id: string
  readonly #parts: SessionParts
  readonly #conversation: Conversation
  readonly #input: InputAudio
  readonly #responses: Responses
  readonly #closing = new AbortController()
  #settings: SessionFields

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.id = parts.ids.next('sess_')
    this.#settings = parts.settings
    this.#conversation = new Conversation(parts.ids.next('conv_'))
    this.#responses = new Responses({
      ...parts,
      conversation: this.#conversation,
      understand: (part, item) => this.#understand(item, part),
    })
    this.#input = new InputAudio({
      ...parts,
      onStarted: () => this.#interrupt(),
      onTurn: (itemId, clips) => this.#endTurn(itemId, clips),
    })
    this.#input.configure(this.#settings)
  }

  /** AST-167, AST-175 */
  begin(): void {
    this.#parts.emit({ type: 'session.created', session: this.#shown() })
    const conversation = { id: this.#conversation.id, object: 'realtime.conversation' }
    this.#parts.emit({ type: 'conversation.created', conversation })
  }

  /** Throws an error of the catalogue when the event cannot be done; the session goes on as before. */
  async take(event: ClientEvent): Promise<void> {
    if (this.#parts.kind === 'transcription' && !ofTranscriptions.has(event.type)) {
      throw realtimeErrors.notInTranscriptions(event.type)
    }
    switch (event.type) {
      case 'session.update':
        return this.#update(event)
      case 'input_audio_buffer.append':
        return this.#input.append(decodeAudio(event.audio, 'audio'), this.#settings.input_audio_format)
      case 'input_audio_buffer.commit':
        return this.#commit(this.#input.commit())
      case 'input_audio_buffer.clear':
        this.#input.clear()
        return this.#parts.emit({ type: 'input_audio_buffer.cleared' })
      case 'conversation.item.create':
        return this.#addItem(event)
      case 'conversation.item.retrieve':
        return this.#parts.emit({ type: 'conversation.item.retrieved', item: retrievedItem(this.#find(event.item_id)) })
      case 'conversation.item.truncate':
        return this.#truncate(event)
      case 'conversation.item.delete':
        this.#conversation.remove(event.item_id)
        return this.#parts.emit({ type: 'conversation.item.deleted', item_id: event.item_id })
      case 'response.create':
        return this.#responses.create(this.#settings, event.response ?? {})
      case 'response.cancel':
        return this.#responses.cancel(event.response_id ?? undefined)
    }
  }

  /** The client has left, or has to. */
  close(): void {
    this.#closing.abort()
    this.#input.close()
    this.#responses.close()
  }

  async #update({ session }: ClientEvents['session.update']): Promise<void> {
    const { model, inference, caller } = this.#parts
    const updated = updateSettings(this.#settings, session, { model, hasSpoken: this.#responses.hasSpoken })
    const transcription = updated.input_audio_transcription
    if (transcription === null && this.#parts.kind === 'transcription') throw realtimeErrors.mustTranscribe()
    if (transcription !== null && transcription.model !== this.#settings.input_audio_transcription?.model) {
      await inference.resolve(caller, transcription.model, 'transcription')
    }
    this.#settings = updated
    this.#input.configure(updated)
    this.#parts.emit({ type: 'session.updated', session: this.#shown() })
  }

  #shown(): object {
    const { model, expiresAt } = this.#parts
    return { id: this.id, object: 'realtime.session', model, expires_at: expiresAt, ...this.#settings }
  }

  #find(id: string): Item {
    const item = this.#conversation.find(id)
    if (item === undefined) throw realtimeErrors.noSuchItem(id)
    return item
  }

  #addItem({ item: given, previous_item_id }: ClientEvents['conversation.item.create']): void {
    const { ids } = this.#parts
    const surroundings = { ids, conversation: this.#conversation, format: this.#settings.input_audio_format }
    const item = itemOf(given, surroundings)
    this.#conversation.checkRoom(item)
    this.#join(item, previous_item_id ?? null)
    if (this.#settings.input_audio_transcription === null) return
    for (const part of heardParts(item)) if (part.transcript === null) this.#understand(item, part)
  }

  #join(item: Item, previousId: string | null = null): void {
    const previous = this.#conversation.add(item, previousId)
    this.#parts.emit({ type: 'conversation.item.created', previous_item_id: previous, item: shownItem(item) })
  }

  #truncate({ item_id, content_index, audio_end_ms }: ClientEvents['conversation.item.truncate']): void {
    truncate(spokenPart(this.#find(item_id), content_index), audio_end_ms)
    this.#parts.emit({ type: 'conversation.item.truncated', item_id, content_index, audio_end_ms })
  }

  /** Speech stops the answer that is being given. */
  #interrupt(): void {
    if (this.#settings.turn_detection?.interrupt_response !== false) this.#responses.interrupt()
  }

  #endTurn(itemId: string, clips: Clip[]): void {
    try {
      this.#commit({ itemId, clips })
      const isAnswered = this.#parts.kind === 'conversation' && this.#settings.turn_detection?.create_response !== false
      if (isAnswered) this.#responses.createByItself(this.#settings)
    } catch (error) {
      this.#parts.emit({ type: 'error', error: { ...eventError(error, this.#parts.log), event_id: null } })
    }
  }

  /** AST-146, AST-187 */
  #commit({ itemId, clips }: { itemId: string; clips: Clip[] }): void {
    this.#conversation.checkRoom()
    const ms = clips.reduce((sum, clip) => sum + msOf(clip), 0)
    const part: HeardPart = { type: 'input_audio', clips, ms, transcript: null }
    const item: Item = { id: itemId, type: 'message', role: 'user', status: 'completed', content: [part] }
    const previous = this.#conversation.lastId
    this.#parts.emit({ type: 'input_audio_buffer.committed', previous_item_id: previous, item_id: item.id })
    this.#join(item)
    // Begun at once, also when nobody asked to see it: a response will soon need it.
    const isAnswered = this.#settings.turn_detection?.create_response === true
    if (this.#settings.input_audio_transcription !== null || isAnswered) this.#understand(item, part)
  }

  /** Once for each part; tells of it when the settings of that moment ask for it. AST-147, AST-180 */
  #understand(item: Item, part: HeardPart): Promise<void> {
    if (part.understood !== undefined) return part.understood
    const asked = this.#settings.input_audio_transcription
    const index = item.type === 'message' ? item.content.indexOf(part) : 0
    const tell = (kind: string, fields: object): void => {
      if (asked === null || this.#closing.signal.aborted) return
      const type = `conversation.item.input_audio_transcription.${kind}`
      this.#parts.emit({ type, item_id: item.id, content_index: index, ...fields })
    }
    part.understood = this.#transcript(part, asked, (delta) => tell('delta', { delta })).then(
      (text) => {
        part.transcript = text
        tell('completed', { transcript: text })
      },
      (error: unknown) => {
        const told = eventError(error, this.#parts.log)
        // Nobody will try again.
        part.clips = []
        tell('failed', { error: { ...told, type: 'transcription_error', code: told.code ?? told.type } })
        throw error
      },
    )
    // Whoever needs it waits for it; if nobody does, it has been told above.
    part.understood.catch(() => {})
    return part.understood
  }

  #transcript(part: HeardPart, asked: SessionFields['input_audio_transcription'], onText: (text: string) => void) {
    const { inference, caller, voiceModels } = this.#parts
    const model = asked?.model ?? voiceModels.transcription
    const { signal } = this.#closing
    const spoken = { caller, clips: part.clips, model, language: asked?.language, prompt: asked?.prompt, signal }
    return transcribe(inference, spoken, onText)
  }
}
