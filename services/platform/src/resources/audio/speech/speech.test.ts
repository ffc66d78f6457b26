// The built-in voices speak; the built-in model tells whether they can be understood.
import { wavHeader } from '@atoll/models/audio/wav'
import { wordErrors } from '@atoll/models/testing/word-errors'
import { OpenAI4, OpenAI6 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { audioUsage, builtInAudio, soundOf, speak, spokenText, writeDown } from '../../../testing/built-in-audio.ts'
import { describePlatformOnSqlite } from '../../../testing/describe-platform.ts'
import { errorOf } from '../../../testing/requests.ts'

const { runtimes } = builtInAudio()

describePlatformOnSqlite('speech', (start) => {
  it.each([
    ['mp3', 'audio/mpeg', /^\xff[\xe0-\xff]/],
    ['opus', 'audio/ogg', /^OggS.*OpusHead/s],
    ['flac', 'audio/flac', /^fLaC/],
    ['wav', 'audio/wav', /^RIFF.*WAVE/s],
    ['pcm', 'audio/pcm', /^/],
  ])('INF-102 is answered with the raw bytes of a %s file, which can be understood', async (format, type, magic) => {
    const platform = await start({ runtimes })
    const response = await speak(platform, { response_format: format })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(type)
    const sound = await soundOf(response)
    expect(sound.subarray(0, 64).toString('latin1')).toMatch(magic)
    const file = format === 'pcm' ? Buffer.concat([wavHeader(24_000), sound]) : sound
    const written = await writeDown(platform, file, `speech.${format === 'opus' ? 'ogg' : format}`)
    expect(wordErrors(spokenText, ((await written.json()) as unknown as { text: string }).text)).toBeLessThan(3)
  })

  it('INF-102 works with the openai clients, which get mp3 unless they ask for something else', async () => {
    const platform = await start({ runtimes })
    for (const OpenAI of [OpenAI4, OpenAI6]) {
      const client = new OpenAI({ apiKey: platform.apiKey, baseURL: `${platform.url}/v1`, maxRetries: 0 })
      const sound = await client.audio.speech.create({ model: 'tts-1-hd', voice: 'nova', input: 'Hello there.' })
      expect((await soundOf(sound))[0]).toBe(0xff)
    }
  })

  it('takes the later way to ask for plain sound, and says why it takes no instructions', async () => {
    const platform = await start({ runtimes })
    const spoken = await speak(platform, { model: 'gpt-4o-mini-tts', stream_format: 'audio', response_format: 'pcm' })
    expect([spoken.status, (await soundOf(spoken)).length > 0]).toEqual([200, true])
    for (const [more, why] of [
      [{ instructions: 'Be cheerful.' }, /have one way to speak/],
      [{ stream_format: 'sse' }, /without events around it/],
    ] as const) {
      expect((await errorOf(await speak(platform, more))).message).toMatch(why)
    }
  })

  it('is counted in characters', async () => {
    const platform = await start({ runtimes })
    await soundOf(await speak(platform, { response_format: 'pcm' }))
    expect(await audioUsage(platform, 'audio_speeches')).toEqual([{ characters: spokenText.length, audio_ms: 0 }])
  })

  it('refuses what is missing, too long, unknown or cannot be done', async () => {
    const platform = await start({ runtimes })
    for (const [more, param] of [
      [{ input: '' }, 'input'],
      [{ input: 'x'.repeat(4_097) }, 'input'],
      [{ input: '你好' }, 'input'],
      [{ voice: 'nobody' }, 'voice'],
      [{ speed: 4.1 }, 'speed'],
      [{ speed: 0.2 }, 'speed'],
      [{ response_format: 'midi' }, 'response_format'],
      [{ response_format: 'aac' }, 'response_format'],
      [{ model: 'whisper-1' }, 'model'],
      [{ pitch: 2 }, 'pitch'],
      [{ stream_format: 'sse' }, 'stream_format'],
      [{ instructions: 'Be cheerful.' }, 'instructions'],
    ] as const) {
      const refused = await speak(platform, more)
      expect([400, 404], JSON.stringify(more)).toContain(refused.status)
      expect(await errorOf(refused), JSON.stringify(more)).toMatchObject({ param })
    }
  })
})
