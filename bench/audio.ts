// Speech written down (word errors, time against the bare networks) and made (first byte, how well it is understood).
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { closeWav } from '@atoll/models/audio/wav'
import { voices } from '@atoll/models/speak'
import { wordErrors, wordsOf } from '@atoll/models/testing/word-errors'
import { type AtollServer, spawnServer } from './atoll-server.ts'
import { type Clip, humanClips, longText, sentences } from './audio/clips.ts'
import { median } from './measure.ts'

const run = promisify(execFile)
const rounds = 3
const goals = { wordErrors: 4, timesBare: 1.1, realTime: 0.25, firstByteMs: 150, bestVoices: 6, allVoices: 9 }
const bareLoop = fileURLToPath(new URL('./audio/bare-loop.ts', import.meta.url))

/** `BENCH_SPEECH` names a folder of clips of people: a.wav (16,000 samples a second) beside a.txt with the words. */
export async function bench(): Promise<void> {
  const atoll = await spawnServer()
  try {
    const own = await ownClips(atoll)
    const human = await humanClips(process.env.BENCH_SPEECH)
    await benchTranscription(atoll, human.length > 0 ? human : own, human.length > 0)
    await benchFirstByte(atoll)
    await benchVoices(atoll)
  } finally {
    await atoll.close()
  }
}

async function benchTranscription(atoll: AtollServer, clips: readonly Clip[], isHuman: boolean): Promise<void> {
  const seconds = clips.reduce((sum, { sound }) => sum + (sound.length - 44) / 32_000, 0)
  const bare = await bareSeconds(clips)
  const ours: number[] = []
  let wrong = 0
  // As the bare loop does: the networks are there when the time begins.
  for (const { sound } of clips.slice(0, 1)) await writeDown(atoll, sound)
  for (let round = 0; round < rounds; round++) {
    wrong = 0
    const startedAt = performance.now()
    for (const { sound, words } of clips) wrong += wordErrors(words, await writeDown(atoll, sound))
    ours.push((performance.now() - startedAt) / 1000)
  }
  const words = clips.reduce((sum, clip) => sum + wordsOf(clip.words).length, 0)
  const who = isHuman ? 'people' : 'our own voice (set BENCH_SPEECH to a folder of clips for people)'
  console.log(`  ${clips.length} clips of ${who}, ${seconds.toFixed(1)} s, ${words} words`)
  console.log(`    words wrong ${percent(wrong / words)} (goal ${goals.wordErrors} % for people)`)
  console.log(
    `    through the API ${shown(ours)} s, the bare networks ${shown(bare)} s: ${(median(ours) / median(bare)).toFixed(2)} times (goal ${goals.timesBare})`,
  )
  console.log(`    ${(median(ours) / seconds).toFixed(3)} of the sound's length (goal ${goals.realTime})`)
}

async function bareSeconds(clips: readonly Clip[]): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-audio-'))
  try {
    const files = clips.map((_, at) => join(folder, `${at}.wav`))
    await Promise.all(files.map((file, at) => writeFile(file, clips[at]?.sound ?? '')))
    const args = ['--disable-warning=ExperimentalWarning', bareLoop, String(rounds), ...files]
    return JSON.parse((await run(process.execPath, args)).stdout)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function benchFirstByte(atoll: AtollServer): Promise<void> {
  console.log(`  first byte of a text of ${longText.length} letters (goal ${goals.firstByteMs} ms):`)
  for (const format of ['mp3', 'opus', 'flac', 'wav', 'pcm']) {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) times.push(await firstByteMs(atoll, format))
    console.log(
      `    ${format.padEnd(5)} ${median(times).toFixed(0)} ms (${times.map((ms) => ms.toFixed(0)).join(', ')})`,
    )
  }
}

async function benchVoices(atoll: AtollServer): Promise<void> {
  const all = sentences.reduce((sum, text) => sum + wordsOf(text).length, 0)
  const shares: number[] = []
  for (const voice of voices) {
    let wrong = 0
    for (const text of sentences) wrong += wordErrors(text, await writeDown(atoll, await speak(atoll, text, voice)))
    shares.push(wrong / all)
    console.log(`    ${voice.padEnd(8)} ${percent(wrong / all)}`)
  }
  const good = shares.filter((share) => share * 100 <= goals.bestVoices).length
  const worst = percent(Math.max(...shares))
  console.log(
    `  own voices, ${all} words each: ${good} at most ${goals.bestVoices} % (goal 6 of them), the worst ${worst} (goal ${goals.allVoices} %)`,
  )
}

async function ownClips(atoll: AtollServer): Promise<Clip[]> {
  const clips: Clip[] = []
  for (const [at, words] of sentences.entries()) {
    const sound = atSixteenThousand(await speak(atoll, words, 'ash'))
    clips.push({ name: `${at}.wav`, sound, words })
  }
  return clips
}

/** From 24,000 samples a second: good enough for a loop that only takes time. */
function atSixteenThousand(wav: Buffer): Buffer<ArrayBuffer> {
  const samples = Math.floor(((wav.length - 44) / 2 / 3) * 2)
  const made = Buffer.alloc(44 + samples * 2)
  wav.copy(made, 0, 0, 44)
  made.writeUInt32LE(16_000, 24)
  made.writeUInt32LE(32_000, 28)
  made.writeUInt32LE(samples * 2, 40)
  for (let at = 0; at < samples; at++) {
    const from = at * 1.5
    const [before, after] = [Math.floor(from), Math.min(Math.ceil(from), (wav.length - 46) / 2)]
    const mean = (wav.readInt16LE(44 + before * 2) + wav.readInt16LE(44 + after * 2)) / 2
    made.writeInt16LE(Math.round(mean), 44 + at * 2)
  }
  return made
}

async function post(atoll: AtollServer, path: string, body: object | FormData): Promise<Response> {
  const isForm = body instanceof FormData
  const headers: Record<string, string> = { authorization: `Bearer ${atoll.apiKey}` }
  if (!isForm) headers['content-type'] = 'application/json'
  const response = await fetch(`${atoll.url}/v1/audio/${path}`, {
    method: 'POST',
    headers,
    body: isForm ? body : JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`Refused: ${await response.text()}`)
  return response
}

async function writeDown(atoll: AtollServer, sound: Buffer<ArrayBuffer>): Promise<string> {
  const form = new FormData()
  form.append('model', 'whisper-1')
  form.append('response_format', 'text')
  form.append('file', new Blob([sound]), 'speech.wav')
  // A word that is written as two, or two as one, is no other word.
  return (await (await post(atoll, 'transcriptions', form)).text()).replaceAll('-', ' ')
}

async function speak(atoll: AtollServer, input: string, voice: string): Promise<Buffer<ArrayBuffer>> {
  const response = await post(atoll, 'speech', { model: 'tts-1', voice, input, response_format: 'wav' })
  return closeWav(Buffer.from(await response.arrayBuffer())) as Buffer<ArrayBuffer>
}

async function firstByteMs(atoll: AtollServer, format: string): Promise<number> {
  const startedAt = performance.now()
  const response = await post(atoll, 'speech', {
    model: 'tts-1',
    voice: 'nova',
    input: longText,
    response_format: format,
  })
  const reader = response.body?.getReader()
  await reader?.read()
  const ms = performance.now() - startedAt
  while (!(await reader?.read())?.done);
  return ms
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
const shown = (values: readonly number[]): string =>
  `${median(values).toFixed(2)} (${values.map((one) => one.toFixed(2)).join(', ')})`
