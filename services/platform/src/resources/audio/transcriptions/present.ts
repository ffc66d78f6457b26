// What was understood, in the format that was asked for.
import type { SpokenSegment, SpokenWord } from '@atoll/models/transcribe'
import type { Transcript, TranscriptFormat } from './schema.ts'

export interface Understood {
  task: 'transcribe' | 'translate'
  language: string
  seconds: number
  segments: SpokenSegment[]
}

export interface Wanted {
  format: TranscriptFormat
  segments: boolean
  words: boolean
}

/** An object is sent as JSON, a string as text. */
export function present(understood: Understood, wanted: Wanted): Transcript | string {
  const text = understood.segments.map((segment) => segment.text.trim()).join(' ')
  switch (wanted.format) {
    case 'json':
      return { text }
    case 'text':
      return `${text}\n`
    case 'srt':
      return subtitles(understood.segments, ',', (at) => `${at + 1}\n`)
    case 'vtt':
      return `WEBVTT\n\n${subtitles(understood.segments, '.', () => '')}`
    case 'verbose_json':
      return verbose(understood, wanted, text)
  }
}

function verbose({ task, language, seconds, segments }: Understood, wanted: Wanted, text: string): Transcript {
  return {
    task,
    language,
    duration: rounded(seconds),
    text,
    ...(wanted.words ? { words: segments.flatMap(({ words = [] }) => words.map(presentWord)) } : {}),
    ...(wanted.segments ? { segments: segments.map(presentSegment) } : {}),
  }
}

const framesPerSecond = 100

const presentSegment = (segment: SpokenSegment, id: number) => ({
  id,
  /** Where the piece that was listened to begins, in hundredths of a second. */
  seek: Math.round(segment.start * framesPerSecond),
  start: rounded(segment.start),
  end: rounded(segment.end),
  text: ` ${segment.text.trim()}`,
  tokens: segment.tokens,
  temperature: segment.temperature,
  avg_logprob: segment.avgLogprob,
  compression_ratio: segment.compressionRatio,
  no_speech_prob: segment.noSpeechProb,
})

const presentWord = ({ word, start, end }: SpokenWord): SpokenWord => ({
  word,
  start: rounded(start),
  end: rounded(end),
})

const rounded = (seconds: number): number => Math.round(seconds * 1_000) / 1_000

function subtitles(segments: readonly SpokenSegment[], mark: string, number: (at: number) => string): string {
  const cues = segments.map(({ start, end, text }, at) => {
    // An arrow in a text would be read as times.
    const line = text.trim().replaceAll('-->', '->')
    return `${number(at)}${timeOf(start, mark)} --> ${timeOf(end, mark)}\n${line}\n\n`
  })
  return cues.join('')
}

function timeOf(seconds: number, mark: string): string {
  const ms = Math.round(seconds * 1_000)
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1_000) % 60)}${mark}${String(ms % 1_000).padStart(3, '0')}`
}
