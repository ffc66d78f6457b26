// A conversation in words alone: what was spoken in it is written down, and spoken answers are found by their ids.
import type { Call } from '@atoll/models/call'
import type { AudioPart, ChatMessage, ImagePart, TextPart } from '@atoll/models/chat'
import { ModelProblem } from '@atoll/models/problem'
import type { AudioFile } from '@atoll/models/transcribe'
import type { ProjectCaller } from '../../../../callers.ts'
import { chatErrors } from '../../../../errors/completions.ts'
import type { Inference } from '../../../../inference/inference.ts'
import { writeDown } from '../../../audio/transcriptions/write-down.ts'
import type { KeptAudios } from './kept-audios.ts'

/** Of speech in which no words were found. */
const inaudible = '(The user said something that could not be understood.)'
/** Of base64, decoded at a time: three bytes for each four. */
const lettersAtOnce = 64 * 1024

interface Parts {
  inference: Inference
  kept: KeptAudios
  caller: ProjectCaller
  /** The public id of the transcription model. */
  transcription: string
}

export interface HeardMessages {
  messages: ChatMessage[]
  heardMs: number
}

export async function hearMessages(messages: readonly ChatMessage[], parts: Parts, call: Call): Promise<HeardMessages> {
  const heard: HeardMessages = { messages: [], heardMs: 0 }
  for (const [index, message] of messages.entries()) {
    heard.messages.push(await inWords(message, `messages[${index}]`, heard, parts, call))
  }
  return heard
}

async function inWords(
  message: ChatMessage,
  param: string,
  heard: HeardMessages,
  parts: Parts,
  call: Call,
): Promise<ChatMessage> {
  if (message.role === 'assistant' && message.audio) {
    const { audio, content, ...rest } = message
    const said = await parts.kept.transcript(parts.caller.projectId, audio.id)
    if (said === undefined) throw chatErrors.noSuchAudio(`${param}.audio.id`, audio.id)
    return { ...rest, content: content ?? said }
  }
  if (message.role !== 'user' || typeof message.content === 'string') return message
  const content: (TextPart | ImagePart)[] = []
  for (const [at, part] of message.content.entries()) {
    if (part.type !== 'input_audio') {
      content.push(part)
      continue
    }
    const { text, ms } = await hear(part, `${param}.content[${at}].input_audio.data`, parts, call)
    heard.heardMs += ms
    content.push({ type: 'text', text: text || inaudible })
  }
  return { ...message, content }
}

async function hear({ input_audio: { data, format } }: AudioPart, param: string, parts: Parts, call: Call) {
  const { inference, caller, transcription: model } = parts
  const audio = { name: `speech.${format}`, open: () => decoded(data, param) } satisfies AudioFile
  try {
    return await writeDown(inference, { caller, audio, model, call })
  } catch (error) {
    throw placed(error, param)
  }
}

async function* decoded(data: string, param: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < data.length; at += lettersAtOnce) {
    const letters = data.slice(at, at + lettersAtOnce)
    const isLast = at + lettersAtOnce >= data.length
    const padding = isLast ? (letters.match(/={1,2}$/)?.[0].length ?? 0) : 0
    const bytes = Buffer.from(letters, 'base64')
    // What is no base64 is passed over by the decoder: then there is less than there should be.
    const isWhole = bytes.length === Math.floor(((letters.length - padding) * 3) / 4)
    if (!isWhole || (letters.length - padding) % 4 === 1) throw chatErrors.audioNotBase64(param)
    yield bytes
  }
}

/** A transcription speaks of its file; here the file stands in a message. */
function placed(error: unknown, param: string): unknown {
  if (!(error instanceof ModelProblem)) return error
  const { kind } = error.detail
  return kind === 'invalid' || kind === 'unsupported' ? new ModelProblem(error.message, { kind, param }) : error
}
