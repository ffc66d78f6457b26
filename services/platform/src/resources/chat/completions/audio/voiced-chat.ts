// A chat model that takes text alone, with the ears and the voice of other models around it.
import type { Call } from '@atoll/models/call'
import type { ChatAnswer, ChatDelta, ChatModel, ChatRequest } from '@atoll/models/chat'
import { ModelProblem } from '@atoll/models/problem'
import type { ProjectCaller } from '../../../../callers.ts'
import { chatErrors } from '../../../../errors/completions.ts'
import type { Inference, UsedModel } from '../../../../inference/inference.ts'
import { withSound } from '../../../../inference/sound-tokens.ts'
import { isSpeakable } from '../../../realtime/sentences.ts'
import { hearMessages } from './hear-messages.ts'
import type { KeptAudios } from './kept-audios.ts'
import { type AudioWish, speakAnswer } from './speak-answer.ts'
import { speakStream } from './speak-stream.ts'

interface Parts {
  inference: Inference
  kept: KeptAudios
}

/** The model's own port where it hears and speaks itself, or not at all. */
export function voicedChat({ port, voice }: UsedModel<'chat'>, caller: ProjectCaller, parts: Parts): ChatModel {
  return voice === undefined ? port : new VoicedChat({ ...parts, caller, chat: port, voice })
}

interface VoicedParts extends Parts {
  caller: ProjectCaller
  chat: ChatModel
  voice: NonNullable<UsedModel<'chat'>['voice']>
}

class VoicedChat implements ChatModel {
  readonly #parts: VoicedParts

  constructor(parts: VoicedParts) {
    this.#parts = parts
  }

  async complete(request: ChatRequest, call: Call): Promise<ChatAnswer> {
    const { messages, heardMs } = await this.#hear(request, call)
    const answer = await this.#parts.chat.complete({ ...request, messages, audio: undefined }, call)
    const spokenMs = request.audio === undefined ? 0 : await this.#speak(answer, request.audio, call)
    return { ...answer, usage: withSound(answer.usage, { heardMs, spokenMs }) }
  }

  async *stream(request: ChatRequest, call: Call): AsyncGenerator<ChatDelta> {
    const { audio } = request
    if (audio !== undefined && audio.format !== 'pcm16') throw chatErrors.streamedFormat(audio.format)
    const { messages, heardMs } = await this.#hear(request, call)
    const { voice, ...parts } = this.#parts
    const asked = { ...request, messages, audio: undefined }
    if (audio === undefined) {
      for await (const step of parts.chat.stream(asked, call)) {
        yield step.usage === undefined ? step : { ...step, usage: withSound(step.usage, { heardMs, spokenMs: 0 }) }
      }
      return
    }
    const spoken = { ...parts, speechModel: voice.speech, voice: audio.voice, heardMs }
    try {
      yield* speakStream(asked, spoken, call)
    } catch (error) {
      throw ofTheVoice(error)
    }
  }

  #hear({ messages }: ChatRequest, call: Call) {
    const { inference, kept, caller, voice } = this.#parts
    return hearMessages(messages, { inference, kept, caller, transcription: voice.transcription }, call)
  }

  /** How long it all sounds. Answers without words, such as calls, stay as they are. */
  async #speak({ choices }: ChatAnswer, wish: AudioWish, call: Call): Promise<number> {
    const { inference, kept, caller, voice } = this.#parts
    const parts = { inference, kept, caller, model: voice.speech }
    let spokenMs = 0
    for (const { message } of choices) {
      if (message.content === null || !isSpeakable(message.content)) continue
      const { audio, ms } = await speakAnswer(message.content, wish, parts, call).catch((error: unknown) => {
        throw ofTheVoice(error)
      })
      message.audio = audio
      message.content = null
      spokenMs += ms
    }
    return spokenMs
  }
}

/** What a voice says of its text and format is said of this request's audio. */
function ofTheVoice(error: unknown): unknown {
  if (!(error instanceof ModelProblem)) return error
  const { detail, message } = error
  const isOfVoice = detail.kind === 'unsupported' || detail.kind === 'invalid'
  if (!isOfVoice || !['input', 'response_format', 'voice'].includes(detail.param)) return error
  const words = `The answer could not be spoken: ${message} Ask for 'modalities': ["text"] to get it in writing.`
  return new ModelProblem(words, { kind: detail.kind, param: 'modalities' })
}
