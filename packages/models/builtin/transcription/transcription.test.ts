// The built-in voices speak, and the built-in model writes down what they said.
import { silentLog } from '@atoll/testkit/silent-log'
import { afterAll, expect, it, vi } from 'vitest'
import { bytesOf } from '../../audio/samples.ts'
import { wavHeader } from '../../audio/wav.ts'
import type { Call } from '../../call.ts'
import type { SpeechModel, Voice } from '../../speak.ts'
import { wordErrors } from '../../testing/word-errors.ts'
import type { SpokenSegment, TranscribeRequest, TranscriptionModel } from '../../transcribe.ts'
import { createSpeechRuntime } from '../speech/speech-runtime.ts'
import { Transcriber } from './transcriber.ts'
import { createTranscriptionRuntime } from './transcription-runtime.ts'

// Both processes load their models while they work.
vi.setConfig({ testTimeout: 120_000 })

const transcriber = new Transcriber({ log: silentLog })
const hearing = createTranscriptionRuntime(transcriber)
const speaking = createSpeechRuntime({ log: silentLog })
afterAll(() => Promise.all([hearing.close(), speaking.close()]))

const { speak } = speaking.speech as SpeechModel
const { transcribe, listen } = hearing.transcription as Required<TranscriptionModel>
const call: Call = { signal: new AbortController().signal, turn: 'us' }

async function said(text: string, options: { voice?: Voice; speed?: number } = {}): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of speak({ text, voice: 'ash', speed: 1, format: 'pcm', ...options }, call)) pieces.push(piece)
  return Buffer.concat(pieces)
}

const secondsOf = (pcm: Buffer): number => pcm.length / 2 / 24_000

async function written(pcm: Buffer, options: Partial<TranscribeRequest> = {}) {
  const file = Buffer.concat([wavHeader(24_000, pcm.length / 2), pcm])
  const audio = {
    name: 'speech.wav',
    async *open() {
      yield file
    },
  }
  const request = {
    audio,
    task: 'transcribe',
    language: undefined,
    prompt: undefined,
    temperature: undefined,
    words: true,
  }
  const segments: SpokenSegment[] = []
  let seconds = 0
  for await (const event of transcribe({ ...request, ...options } as TranscribeRequest, call)) {
    if (event.kind === 'segment') segments.push(event.segment)
    else seconds = event.seconds
  }
  return { segments, seconds, text: segments.map(({ text }) => text).join(' ') }
}

const silence = (seconds: number): Buffer => Buffer.alloc(2 * 24_000 * seconds)

it('writes down what was said, and when', async () => {
  const first = await said('Our teacher works in the library near the river.')
  const second = await said('On Sunday we walk along the water together.', { voice: 'sage' })
  const pcm = Buffer.concat([silence(1), first, silence(2), second, silence(1)])
  const { segments, seconds, text } = await written(pcm)
  expect(
    wordErrors('our teacher works in the library near the river on sunday we walk along the water together', text),
  ).toBeLessThan(4)
  expect(seconds).toBeCloseTo(secondsOf(pcm), 2)
  expect(segments).toHaveLength(2)
  const [one, two] = segments as [SpokenSegment, SpokenSegment]
  expect(one.start).toBeGreaterThan(0.5)
  expect(one.end).toBeLessThan(two.start)
  expect(two.end).toBeLessThan(seconds)
  expect(two.start - 2 - secondsOf(first)).toBeLessThan(1.6)
  for (const { words, avgLogprob, noSpeechProb, compressionRatio, tokens, ...segment } of segments) {
    expect(words?.map(({ word }) => word)).toEqual(segment.text.replace(/[.,]/g, '').split(' '))
    const times = words?.flatMap(({ start, end }) => [start, end]) ?? []
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(times[0]).toBeGreaterThanOrEqual(segment.start)
    expect(times.at(-1)).toBeLessThanOrEqual(segment.end)
    expect(avgLogprob).toBeLessThan(0)
    expect(avgLogprob).toBeGreaterThan(-1)
    expect(noSpeechProb).toBeLessThan(0.1)
    expect(compressionRatio).toBeGreaterThan(0.5)
    expect(tokens.length).toBeGreaterThan(5)
  }
})

it('hears nothing in silence and in noise', async () => {
  expect(await written(silence(3))).toEqual({ segments: [], seconds: 3, text: '' })
  const noise = Int16Array.from({ length: 72_000 }, (_, at) => 3_000 * Math.sin(at * at))
  expect(await written(Buffer.from(bytesOf(noise)))).toMatchObject({ text: '' })
})

it('tells speech from silence as the sound arrives, in pieces of any length', async () => {
  const pcm = Buffer.concat([silence(0.5), await said('Good morning to everybody.'), silence(0.5)])
  const samples = new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / 2)
  const at16 = Int16Array.from(
    { length: Math.floor((samples.length * 2) / 3) },
    (_, at) => samples[Math.floor(at * 1.5)] ?? 0,
  )
  const listener = listen(call)
  const frames: number[] = []
  for (let at = 0; at < at16.length; at += 700) {
    frames.push(...(await listener.hear(at16.subarray(at, at + 700))).map(({ probability }) => probability))
  }
  listener.close()
  expect(frames).toHaveLength(Math.floor(at16.length / 512))
  expect(Math.max(...frames.slice(0, 12))).toBeLessThan(0.5)
  expect(Math.max(...frames)).toBeGreaterThan(0.9)
  expect(Math.max(...frames.slice(-5))).toBeLessThan(0.5)
})

it('refuses speech that is no English, unless it is told that it is', async () => {
  // No language at all, and said with the sounds of English: it is as unsure of it as of a foreign one.
  const pcm = await said('Kiwor baheg dunim fosalu treb, giskon wapel du mifar zontek, laru bemi.')
  await expect(written(pcm)).rejects.toMatchObject({
    detail: { kind: 'unsupported', param: 'language' },
    message: expect.stringMatching(/does not sound like English.*set `language` to en/),
  })
  await expect(written(pcm, { task: 'translate' })).rejects.toMatchObject({ detail: { param: 'file' } })
  expect((await written(pcm, { language: 'en' })).text).not.toBe('')
})

it('says so when it cannot do what is asked', async () => {
  const pcm = silence(0.1)
  await expect(written(pcm, { language: 'fr' })).rejects.toMatchObject({
    detail: { kind: 'unsupported', param: 'language' },
  })
  const garbage = {
    name: 'a.mp3',
    open: async function* () {
      yield Buffer.from('not a sound at all')
    },
  }
  await expect(written(pcm, { audio: garbage })).rejects.toMatchObject({ detail: { kind: 'invalid', param: 'file' } })
  await expect(said('你好 — ✨')).rejects.toMatchObject({ detail: { kind: 'invalid', param: 'input' } })
})

it('gives the first sound of a long text before the last sentence, slower or faster as asked', async () => {
  const text = 'This is the first sentence. '.repeat(10)
  const pieces: number[] = []
  for await (const piece of speak({ text, voice: 'nova', speed: 1, format: 'pcm' }, call)) pieces.push(piece.length)
  expect(pieces.length).toBeGreaterThan(3)
  const [slow, plain, fast] = await Promise.all(
    [0.5, 1, 2].map(async (speed) => secondsOf(await said('How are you?', { speed }))),
  )
  expect(slow).toBeGreaterThan(1.6 * (plain as number))
  expect(fast).toBeLessThan(0.7 * (plain as number))
})

it('goes on with a new process after its own was killed', async () => {
  const pcm = await said('We walk along the water together.')
  await written(pcm)
  process.kill(transcriber.pid as number, 'SIGKILL')
  await expect.poll(() => transcriber.pid, { timeout: 60_000 }).toBeUndefined()
  expect(wordErrors('we walk along the water together', (await written(pcm)).text)).toBeLessThan(2)
})
