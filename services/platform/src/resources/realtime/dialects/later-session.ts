// The settings of a session in the later dialect: sound stands apart, with formats by their media types.
import { realtimeErrors } from '../../../errors/realtime.ts'

type Fields = Record<string, unknown>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const formatNames: Record<string, string> = {
  'audio/pcm': 'pcm16',
  'audio/pcmu': 'g711_ulaw',
  'audio/pcma': 'g711_alaw',
}
export const mediaTypes: Record<string, object> = {
  pcm16: { type: 'audio/pcm', rate: 24_000 },
  g711_ulaw: { type: 'audio/pcmu' },
  g711_alaw: { type: 'audio/pcma' },
}

/** Asked for by clients whatever they do; there is nothing to do. */
const withoutEffect = ['tracing']
/** Taken when they ask for nothing. */
const notDone = ['prompt', 'include', 'noise_reduction', 'idle_timeout_ms']

/** Where each of our fields stands there, under `session`. */
export const laterNames: [inside: string, outside: string][] = [
  ['modalities', 'output_modalities'],
  ['input_audio_format', 'audio.input.format'],
  ['output_audio_format', 'audio.output.format'],
  ['input_audio_transcription', 'audio.input.transcription'],
  ['turn_detection', 'audio.input.turn_detection'],
  ['voice', 'audio.output.voice'],
  ['speed', 'audio.output.speed'],
  ['max_response_output_tokens', 'max_output_tokens'],
]

/** Of a session or of a response; what is not known here stays under its name, and is refused under it. */
export function readLaterSettings(
  given: unknown,
  place: 'session' | 'response',
  kind: 'realtime' | 'transcription' = 'realtime',
): unknown {
  if (!isObject(given)) return given
  const { type, audio, ...rest } = given
  // A session stays what it was opened as.
  if (place === 'session' && type !== undefined && type !== kind) throw realtimeErrors.otherKind(kind)
  const fields: Fields = { ...rest }
  if (audio !== undefined) readAudio(audio, fields, place)
  for (const name of withoutEffect) delete fields[name]
  refuseNotDone(fields, place)
  rename(fields, 'output_modalities', 'modalities')
  rename(fields, 'max_output_tokens', 'max_response_output_tokens')
  fields.modalities = withText(fields.modalities)
  return fields
}

function readAudio(audio: unknown, fields: Fields, place: string): void {
  if (!isObject(audio)) throw realtimeErrors.notAnAudioObject(`${place}.audio`)
  const { input, output, ...unknown } = audio
  for (const name of Object.keys(unknown)) throw realtimeErrors.unknownParameter(`${place}.audio.${name}`)
  if (input !== undefined) readInput(input, fields, `${place}.audio.input`)
  if (output !== undefined) readOutput(output, fields, `${place}.audio.output`)
}

function readInput(input: unknown, fields: Fields, place: string): void {
  if (!isObject(input)) throw realtimeErrors.notAnAudioObject(place)
  const { format, transcription, turn_detection, noise_reduction, ...unknown } = input
  for (const name of Object.keys(unknown)) throw realtimeErrors.unknownParameter(`${place}.${name}`)
  refuseNotDone({ noise_reduction }, place)
  if (format !== undefined) fields.input_audio_format = formatName(format, `${place}.format`)
  if (transcription !== undefined) fields.input_audio_transcription = transcription
  if (turn_detection === undefined) return
  const { idle_timeout_ms, ...detection } = isObject(turn_detection) ? turn_detection : {}
  refuseNotDone({ idle_timeout_ms }, `${place}.turn_detection`)
  fields.turn_detection = isObject(turn_detection) ? detection : turn_detection
}

function readOutput(output: unknown, fields: Fields, place: string): void {
  if (!isObject(output)) throw realtimeErrors.notAnAudioObject(place)
  const { format, voice, speed, ...unknown } = output
  for (const name of Object.keys(unknown)) throw realtimeErrors.unknownParameter(`${place}.${name}`)
  if (format !== undefined) fields.output_audio_format = formatName(format, `${place}.format`)
  if (voice !== undefined) fields.voice = voice
  if (speed !== undefined) fields.speed = speed
}

function formatName(format: unknown, param: string): string {
  const type = isObject(format) ? format.type : format
  const name = typeof type === 'string' ? (formatNames[type] ?? (type in mediaTypes ? type : undefined)) : undefined
  const rate = isObject(format) ? format.rate : undefined
  const isRight = rate === undefined || rate === null || rate === (name === 'pcm16' ? 24_000 : 8_000)
  if (name === undefined || !isRight) throw realtimeErrors.unknownFormat(param)
  return name
}

function refuseNotDone(fields: Fields, place: string): void {
  for (const name of notDone) {
    const value = fields[name]
    const isNothing = value === undefined || value === null || (Array.isArray(value) && value.length === 0)
    if (!isNothing) throw realtimeErrors.notDone(`${place}.${name}`)
    delete fields[name]
  }
}

function rename(fields: Fields, from: string, to: string): void {
  if (!(from in fields)) return
  fields[to] = fields[from]
  delete fields[from]
}

/** Speech always comes with its words. */
const withText = (modalities: unknown): unknown =>
  Array.isArray(modalities) && modalities.length === 1 && modalities[0] === 'audio' ? ['text', 'audio'] : modalities

export function writeLaterSession(session: Fields): Fields {
  const { id, object, model, expires_at, instructions, tools, tool_choice, truncation } = session
  return {
    type: 'realtime',
    ...{ id, object, model, expires_at },
    output_modalities: outputModalities(session.modalities),
    ...{ instructions, tools, tool_choice, max_output_tokens: session.max_response_output_tokens },
    ...{ truncation, tracing: null, prompt: null, include: null },
    audio: {
      input: {
        format: mediaTypes[session.input_audio_format as string],
        transcription: session.input_audio_transcription,
        noise_reduction: null,
        turn_detection: session.turn_detection,
      },
      output: {
        format: mediaTypes[session.output_audio_format as string],
        voice: session.voice,
        speed: session.speed,
      },
    },
  }
}

const outputModalities = (modalities: unknown): string[] =>
  (modalities as string[]).includes('audio') ? ['audio'] : ['text']
