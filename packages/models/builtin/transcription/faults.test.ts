// Sounds that last for hours, and a decoder that dies.
import { silentLog } from '@atoll/testkit/silent-log'
import { afterAll, expect, it, vi } from 'vitest'
import { wavHeader } from '../../audio/wav.ts'
import type { Call } from '../../call.ts'
import type { SpeechFormat, SpeechModel } from '../../speak.ts'
import { childrenRunning, residentBytes } from '../../testing/child-processes.ts'
import { wordErrors } from '../../testing/word-errors.ts'
import type { AudioFile, SpokenSegment, TranscriptionModel } from '../../transcribe.ts'
import { createSpeechRuntime } from '../speech/speech-runtime.ts'
import { Transcriber } from './transcriber.ts'
import { createTranscriptionRuntime } from './transcription-runtime.ts'

const isLong = process.env.ATOLL_TEST_LONG === '1'
/** Three hours, or one minute. */
const [turns, turnSeconds] = isLong ? [180, 60] : [6, 10]
vi.setConfig({ testTimeout: isLong ? 3_600_000 : 180_000 })

const transcriber = new Transcriber({ log: silentLog })
const hearing = createTranscriptionRuntime(transcriber)
const speaking = createSpeechRuntime({ log: silentLog })
afterAll(() => Promise.all([hearing.close(), speaking.close()]))

const { speak } = speaking.speech as SpeechModel
const { transcribe } = hearing.transcription as TranscriptionModel
const call: Call = { signal: new AbortController().signal, turn: 'us' }
const text = 'We walk along the water together.'

async function said(format: SpeechFormat): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of speak({ text, voice: 'ash', speed: 1, format }, call)) pieces.push(piece)
  return Buffer.concat(pieces)
}

const request = (audio: AudioFile) => ({
  ...{ audio, task: 'transcribe' as const, language: undefined, prompt: undefined, temperature: undefined },
  words: false,
})

it('hears hours of sound, and its memory does not grow with them', async () => {
  const spoken = await said('pcm')
  const silence = Buffer.alloc(48_000)
  const audio: AudioFile = {
    name: 'long.wav',
    async *open() {
      yield wavHeader(24_000)
      for (let turn = 0; turn < turns; turn++) {
        yield spoken
        for (let bytes = spoken.length; bytes < turnSeconds * 48_000; bytes += silence.length) {
          yield silence.subarray(0, Math.min(silence.length, turnSeconds * 48_000 - bytes))
        }
      }
    },
  }
  const segments: SpokenSegment[] = []
  const memory: number[] = []
  let seconds = 0
  for await (const event of transcribe(request(audio), call)) {
    if (event.kind === 'end') seconds = event.seconds
    else {
      segments.push(event.segment)
      memory.push(process.memoryUsage().arrayBuffers + residentBytes(transcriber.pid as number))
    }
  }
  expect(seconds).toBeCloseTo(turns * turnSeconds, 0)
  expect(segments).toHaveLength(turns)
  for (const [turn, segment] of segments.entries()) {
    expect(Math.abs(segment.start - turn * turnSeconds)).toBeLessThan(1)
    expect(wordErrors(text, segment.text)).toBeLessThan(3)
  }
  // After the first ones everything is loaded that will be.
  const [early = 0, late = 0] = [memory[1], memory.at(-1)]
  expect(late - early).toBeLessThan(48 * 1024 ** 2)
})

it('says that a file could not be decoded when the decoder dies at it, and decodes the next', async () => {
  const mp3 = await said('mp3')
  const long: AudioFile = {
    name: 'long.mp3',
    async *open() {
      for (let times = 0; times < 40; times++) yield mp3
    },
  }
  const transcribing = (async () => {
    for await (const _ of transcribe(request(long), call));
  })()
  transcribing.catch(() => undefined)
  await expect.poll(() => childrenRunning('decode-process.ts'), { timeout: 60_000 }).toHaveLength(1)
  process.kill(childrenRunning('decode-process.ts')[0] as number, 'SIGKILL')
  await expect(transcribing).rejects.toMatchObject({ detail: { kind: 'invalid', param: 'file' } })
  expect(childrenRunning('decode-process.ts')).toEqual([])
  const once: AudioFile = {
    name: 'once.mp3',
    async *open() {
      yield mp3
    },
  }
  const next = transcribe(request(once), call)[Symbol.asyncIterator]()
  expect(wordErrors(text, (await next.next()).value.segment.text)).toBeLessThan(3)
  await next.return?.()
  await expect.poll(() => childrenRunning('decode-process.ts'), { timeout: 60_000 }).toEqual([])
})
