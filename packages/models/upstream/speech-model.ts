// Speech by a model server: its file is passed on as it comes.
import type { Call } from '../call.ts'
import type { SpeakRequest, SpeechModel } from '../speak.ts'
import type { Server } from './server.ts'

export class UpstreamSpeech implements SpeechModel {
  readonly #server: Server
  readonly #model: string

  constructor(server: Server, model: string) {
    this.#server = server
    this.#model = model
  }

  async *speak({ text, voice, format, speed }: SpeakRequest, call: Call): AsyncGenerator<Uint8Array> {
    const body = { model: this.#model, input: text, voice, response_format: format, speed }
    yield* await this.#server.bytes('/audio/speech', body, call)
  }
}
