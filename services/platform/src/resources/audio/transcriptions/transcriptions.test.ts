// The built-in model writes down what a built-in voice says.
import { wordErrors } from '@atoll/models/testing/word-errors'
import { OpenAI4, OpenAI6 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { audioUsage, builtInAudio, soundOf, speak, spokenText, writeDown } from '../../../testing/built-in-audio.ts'
import { describePlatformOnSqlite, type TestPlatform } from '../../../testing/describe-platform.ts'
import { checkPublished } from '../../../testing/published-schemas.ts'
import { errorOf, formOf, listBlobs } from '../../../testing/requests.ts'

const { runtimes, transcription } = builtInAudio()

/** Spoken once, for all tests. */
let wav: Buffer<ArrayBuffer>
const spoken = async (platform: TestPlatform): Promise<Buffer<ArrayBuffer>> => {
  wav ??= await soundOf(await speak(platform, { response_format: 'wav' }))
  return wav
}

interface Verbose {
  text: string
  duration: number
  segments: { start: number; end: number; text: string; tokens: number[] }[]
  words: { word: string; start: number; end: number }[]
}

describePlatformOnSqlite('transcriptions', (start) => {
  it('INF-103 INF-106 are JSON with the text, in English, with every openai client', async () => {
    const platform = await start({ runtimes })
    const sound = await spoken(platform)
    const answer = await (await writeDown(platform, sound, 'speech.wav')).json()
    expect(Object.keys(answer)).toEqual(['text'])
    for (const OpenAI of [OpenAI4, OpenAI6 as unknown as typeof OpenAI4]) {
      const client = new OpenAI({ apiKey: platform.apiKey, baseURL: `${platform.url}/v1`, maxRetries: 0 })
      const file = new File([sound], 'speech.wav')
      const written = await client.audio.transcriptions.create({
        file,
        model: 'whisper-1',
        language: 'en',
        temperature: 0,
      })
      expect(wordErrors(spokenText, written.text)).toBeLessThan(3)
      const translated = await client.audio.translations.create({
        file: new File([sound], 'a.wav'),
        model: 'whisper-1',
      })
      expect(translated.text).toBe(written.text)
    }
    expect(await listBlobs(platform.kernel)).toEqual([])
  })

  it('INF-104 INF-105 tell in verbose JSON when what was said', async () => {
    const platform = await start({ runtimes })
    const sound = await spoken(platform)
    const form = formOf('speech.wav', sound, { model: 'whisper-1', response_format: 'verbose_json' })
    for (const granularity of ['segment', 'word']) form.append('timestamp_granularities[]', granularity)
    const response = await platform.post('/v1/audio/transcriptions', form)
    const verbose = (await response.json()) as unknown as Verbose
    expect(verbose).toMatchObject({ task: 'transcribe', language: 'english' })
    const { segments, words, duration } = verbose
    expect(duration).toBeCloseTo((sound.length - 44) / 48_000, 1)
    expect(segments.map((segment) => segment.text.trim()).join(' ')).toBe(verbose.text)
    expect(words.map(({ word }) => word).join(' ')).toBe(verbose.text.replace(/[.,]/g, ''))
    for (const segment of segments) checkPublished('TranscriptionSegment', segment)
    for (const word of words) checkPublished('TranscriptionWord', word)
    const times = words.flatMap((word) => [word.start, word.end])
    expect(times).toEqual([...times].sort((one, other) => one - other))
    expect(times.at(-1)).toBeLessThanOrEqual(duration)
    expect(await audioUsage(platform, 'audio_transcriptions')).toMatchObject([
      { characters: 0, audio_ms: Math.round(duration * 1_000) },
    ])
    const plain = { response_format: 'verbose_json' }
    expect(Object.keys(await (await writeDown(platform, sound, 'a.wav', plain)).json())).not.toContain('words')
  })

  it('are text, or subtitles, if asked for', async () => {
    const platform = await start({ runtimes })
    const sound = await spoken(platform)
    const as = async (format: string): Promise<string> => {
      const response = await writeDown(platform, sound, 'speech.wav', { response_format: format })
      expect(response.headers.get('content-type')).toContain('text/plain')
      return response.text()
    }
    const time = /00:00:0\d.\d{3} --> 00:00:0\d.\d{3}/
    const plain = await as('text')
    expect(wordErrors(spokenText, plain)).toBeLessThan(3)
    expect(await as('srt')).toMatch(new RegExp(`^1\n${time.source.replaceAll('.\\d', ',\\d')}\n${plain}\n$`))
    expect(await as('vtt')).toMatch(new RegExp(`^WEBVTT\n\n${time.source}\n${plain}\n$`))
  })

  it('refuse what is wrong with a form or a file, and leave nothing behind', async () => {
    const platform = await start({ runtimes })
    const sound = await spoken(platform)
    const cases: [name: string, file: Buffer<ArrayBuffer>, fields: Record<string, string>, param: string][] = [
      ['a.wav', sound, { language: 'de' }, 'language'],
      ['a.wav', sound, { temperature: '1.5' }, 'temperature'],
      ['a.wav', sound, { temperature: 'hot' }, 'temperature'],
      ['a.wav', sound, { response_format: 'xml' }, 'response_format'],
      ['a.wav', sound, { timestamp_granularities: 'word' }, 'timestamp_granularities'],
      ['a.wav', sound, { model: 'gpt-4o' }, 'model'],
      ['a.wav', sound, { colour: 'red' }, 'colour'],
      ['a.wav', Buffer.alloc(0), {}, 'file'],
      ['a.mp3', Buffer.from('this is no sound'), {}, 'file'],
      ['a.wav', sound.subarray(0, 30), {}, 'file'],
      ['a.webm', Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.alloc(100_000, 0x77)]), {}, 'file'],
    ]
    for (const [name, file, fields, param] of cases) {
      const refused = await writeDown(platform, file, name, fields)
      const shown = JSON.stringify({ name, fields, length: file.length })
      expect([400, 404], shown).toContain(refused.status)
      expect(await errorOf(refused), shown).toMatchObject({ param })
    }
    const header = await writeDown(platform, sound.subarray(0, 44), 'a.wav')
    expect(await header.json()).toEqual({ text: '' })
    expect(await listBlobs(platform.kernel)).toEqual([])
  })

  it('stop when the caller leaves, and others go on', async () => {
    const platform = await start({ runtimes })
    const sound = await spoken(platform)
    const long = Buffer.concat([sound.subarray(0, 44), ...Array<Buffer>(40).fill(sound.subarray(44))])
    const leave = new AbortController()
    const body = formOf('long.wav', long, { model: 'whisper-1' })
    const headers = { authorization: `Bearer ${platform.apiKey}` }
    const left = fetch(`${platform.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers,
      body,
      signal: leave.signal,
    })
    left.catch(() => undefined)
    await expect.poll(() => transcription.load?.().running, { timeout: 60_000 }).toBe(1)
    leave.abort()
    await expect(left).rejects.toThrow()
    await expect.poll(() => transcription.load?.().running, { timeout: 60_000 }).toBe(0)
    await expect.poll(() => listBlobs(platform.kernel), { timeout: 60_000 }).toEqual([])
    expect((await writeDown(platform, sound, 'speech.wav')).status).toBe(200)
  })

  it('and speech come from a server behind this one, with the same figures', async () => {
    const behind = await start({ runtimes })
    const upstream = (model: string) => ({
      kind: 'upstream' as const,
      model,
      replicas: [`${behind.url}/v1`],
      apiKey: behind.apiKey,
    })
    const config = {
      runtimes: { hears: upstream('whisper-1'), speaks: upstream('tts-1') },
      models: [
        { id: 'ears', runtime: 'hears' },
        { id: 'mouth', runtime: 'speaks' },
      ],
    }
    const platform = await start({ config })
    const sound = await soundOf(await speak(platform, { model: 'mouth', response_format: 'wav' }))
    expect(sound).toEqual(await soundOf(await speak(behind, { response_format: 'wav' })))
    const fields = { response_format: 'verbose_json', 'timestamp_granularities[]': 'word', temperature: '0' }
    const [passedOn, own] = await Promise.all([
      writeDown(platform, sound, 'a.wav', { ...fields, model: 'ears' }).then((response) => response.json()),
      writeDown(behind, sound, 'a.wav', fields).then((response) => response.json()),
    ])
    expect(passedOn).toEqual(own)
    const french = await writeDown(platform, sound, 'a.wav', { model: 'ears', language: 'fr' })
    expect(await errorOf(french)).toMatchObject({ param: 'language' })
    expect(await audioUsage(platform, 'audio_speeches')).toMatchObject([{ characters: spokenText.length }])
  })
})
