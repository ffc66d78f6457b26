import type { Call } from '../call.ts'
import type { ChatAnswer, ChatDelta, ChatModel, ChatRequest } from '../chat.ts'
import type { RealtimeModel } from '../realtime.ts'
import { readChatAnswer } from './chat-answer.ts'
import { chatBody } from './chat-request.ts'
import { ChatSteps } from './chat-stream.ts'
import { UpstreamRealtime } from './realtime-model.ts'
import type { Server } from './server.ts'
import { settingsFor, type UpstreamSettings } from './settings.ts'

const path = '/chat/completions'

export class UpstreamChat implements ChatModel {
  readonly #server: Server
  readonly #settings: UpstreamSettings
  readonly realtime?: RealtimeModel

  constructor(server: Server, settings: UpstreamSettings) {
    this.#server = server
    this.#settings = settings
    if (settings.realtime) this.realtime = new UpstreamRealtime(server, settings.model)
  }

  async complete(request: ChatRequest, call: Call): Promise<ChatAnswer> {
    const settings = settingsFor(call, this.#settings)
    const answer = await this.#server.ask(path, chatBody(request, settings, false), call)
    return readChatAnswer(answer, request, settings.model)
  }

  async *stream(request: ChatRequest, call: Call): AsyncGenerator<ChatDelta> {
    const settings = settingsFor(call, this.#settings)
    const events = await this.#server.stream(path, chatBody(request, settings, true), call)
    try {
      const steps = new ChatSteps(request, settings.model, events.replica.fingerprint)
      for (;;) {
        const event = events.take() ?? (await events.next())
        if (!event) break
        for (const step of steps.read(event)) yield step
      }
      yield steps.end(events)
    } finally {
      events.close()
    }
  }
}
