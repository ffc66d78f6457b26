// Transcriptions and translations by a model server. Asked for as verbose JSON, which every other format is made of.
import type { Call } from '../call.ts'
import type {
  SpokenSegment,
  SpokenWord,
  TranscribeRequest,
  TranscriptEvent,
  TranscriptionModel,
} from '../transcribe.ts'
import { isObject } from './error-body.ts'
import type { FormPart } from './form.ts'
import { senseless } from './problems.ts'
import type { Server } from './server.ts'

export class UpstreamTranscription implements TranscriptionModel {
  readonly #server: Server
  readonly #model: string

  constructor(server: Server, model: string) {
    this.#server = server
    this.#model = model
  }

  async *transcribe(request: TranscribeRequest, call: Call): AsyncGenerator<TranscriptEvent> {
    const { audio, task } = request
    const pieces: Uint8Array[] = []
    for await (const piece of audio.open()) pieces.push(piece)
    const type = 'application/octet-stream'
    const file = { name: 'file', filename: audio.name, type, bytes: Buffer.concat(pieces) }
    const path = task === 'translate' ? '/audio/translations' : '/audio/transcriptions'
    const { json } = await this.#server.askForm(path, [...fieldsOf(request, this.#model), file], call)
    if (!isObject(json) || !Array.isArray(json.segments)) throw senseless('sent a transcript without segments')
    const words = Array.isArray(json.words) ? json.words.map(readWord) : undefined
    const segments = json.segments.map(readSegment)
    for (const [at, segment] of segments.entries()) {
      const until = at === segments.length - 1 ? Number.POSITIVE_INFINITY : segment.end
      const own = words?.splice(0, countUntil(words, until))
      yield { kind: 'segment', segment: request.words ? { ...segment, words: own ?? [] } : segment }
    }
    const language = typeof json.language === 'string' ? json.language : ''
    yield { kind: 'end', language, seconds: numberIn(json, 'duration') }
  }
}

function fieldsOf({ task, language, prompt, temperature, words }: TranscribeRequest, model: string): FormPart[] {
  const fields: FormPart[] = [
    { name: 'model', value: model },
    { name: 'response_format', value: 'verbose_json' },
  ]
  if (language !== undefined) fields.push({ name: 'language', value: language })
  if (prompt !== undefined) fields.push({ name: 'prompt', value: prompt })
  if (temperature !== undefined) fields.push({ name: 'temperature', value: String(temperature) })
  if (task === 'transcribe') {
    fields.push({ name: 'timestamp_granularities[]', value: 'segment' })
    if (words) fields.push({ name: 'timestamp_granularities[]', value: 'word' })
  }
  return fields
}

function readSegment(given: unknown): SpokenSegment {
  if (!isObject(given) || typeof given.text !== 'string') throw senseless('sent a segment without text')
  const tokens = Array.isArray(given.tokens) ? given.tokens.filter(Number.isSafeInteger) : []
  return {
    start: numberIn(given, 'start'),
    end: numberIn(given, 'end'),
    text: given.text,
    tokens: tokens as number[],
    temperature: numberIn(given, 'temperature'),
    avgLogprob: numberIn(given, 'avg_logprob'),
    compressionRatio: numberIn(given, 'compression_ratio'),
    noSpeechProb: numberIn(given, 'no_speech_prob'),
  }
}

function readWord(given: unknown): SpokenWord {
  if (!isObject(given) || typeof given.word !== 'string') throw senseless('sent a word that is none')
  return { word: given.word, start: numberIn(given, 'start'), end: numberIn(given, 'end') }
}

/** Some servers write numbers as texts. */
function numberIn(given: Record<string, unknown>, name: string): number {
  const value = Number(given[name])
  if (given[name] == null || !Number.isFinite(value)) throw senseless(`sent a transcript without ${name}`)
  return value
}

const countUntil = (words: readonly SpokenWord[], seconds: number): number => {
  const next = words.findIndex(({ start }) => start >= seconds)
  return next === -1 ? words.length : next
}
