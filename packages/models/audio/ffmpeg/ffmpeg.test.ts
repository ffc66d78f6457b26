// AAC by the operator's ffmpeg. The one here is a script that speaks its language: it shows that the real one is asked
// as it wants to be asked, fed, and held within limits. With a real ffmpeg on the machine that one is tried too.
import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from '@atoll/kernel/programs/find-program'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, expect, it, vi } from 'vitest'
import { createSpeechRuntime } from '../../builtin/speech/speech-runtime.ts'
import { openSound } from '../../builtin/transcription/open-sound.ts'
import type { SpeechModel } from '../../speak.ts'

vi.setConfig({ testTimeout: 60_000 })

const { signal } = new AbortController()
const call = { signal, turn: 'us' }
const m4a = Buffer.concat([Buffer.from('\0\0\0\x18ftypM4A ', 'latin1'), Buffer.from('an imagined file')])
const closing: (() => Promise<void>)[] = []
afterAll(() => Promise.all(closing.map((close) => close())))

async function standIn(lines: string): Promise<string> {
  const path = join(await tempDir(), 'ffmpeg')
  writeFileSync(path, `#!/bin/sh\n${lines}\n`)
  chmodSync(path, 0o755)
  return path
}

async function heard(program: string | undefined, file: Buffer = m4a): Promise<Float32Array[]> {
  const blocks: Float32Array[] = []
  const open = async function* () {
    yield file
  }
  for await (const block of openSound({ name: 'a.m4a', open }, signal, program)) blocks.push(block)
  return blocks
}

function speakWith(ffmpeg: string | undefined): SpeechModel {
  const runtime = createSpeechRuntime({ log: silentLog, ffmpeg })
  closing.push(() => runtime.close())
  return runtime.speech as SpeechModel
}

async function spoken(speech: SpeechModel): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  const request = { text: 'Hello there.', voice: 'ash', format: 'aac', speed: 1 } as const
  for await (const piece of speech.speak(request, call)) pieces.push(piece)
  return Buffer.concat(pieces)
}

const leftFolders = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('atoll-audio-'))

it('decodes MPEG-4 and bare AAC: it is told the format, the sound comes as numbers', async () => {
  const before = leftFolders()
  // Two samples, 0.5 and -0.5, when it was asked as it has to be.
  const program = await standIn(`
    case "$*" in *"-protocol_whitelist file -f mov -i sound -map 0:a:0 "*"-ac 1 -ar 16000 -f f32le pipe:1") ;; *) exit 9 ;; esac
    grep -q imagined sound && printf '\\000\\000\\000\\077\\000\\000\\000\\277'`)
  expect(await heard(program)).toEqual([Float32Array.of(0.5, -0.5)])
  const adts = await standIn(`case "$*" in *"-f aac -i sound"*) printf '\\000\\000\\000\\077' ;; esac`)
  expect(await heard(adts, Buffer.from('fff15080001ffc', 'hex'))).toEqual([Float32Array.of(0.5)])
  expect(leftFolders()).toEqual(before)
})

it.each([
  ['fails', 'echo secret >&2; exit 1'],
  ['is killed', 'kill -9 $$'],
  ['finds no sound', 'true'],
])('refuses a file at which the program %s, and tells nothing of the machine', async (_, lines) => {
  const error = await heard(await standIn(lines)).catch((problem) => problem)
  expect(error).toMatchObject({ detail: { kind: 'invalid', param: 'file' } })
  expect(error.message).not.toContain('secret')
})

it('kills the program when nobody wants the sound any more', async () => {
  const program = await standIn(`yes | head -c 100000; exec sleep 1000`)
  const open = async function* () {
    yield m4a
  }
  const blocks = openSound({ name: 'a.m4a', open }, signal, program)
  expect((await blocks.next()).done).toBe(false)
  await blocks.return(undefined)
  expect(leftFolders()).toEqual([])
})

it('writes AAC as it is spoken, and refuses it in clear words without the program', async () => {
  const program = await standIn(`
    case "$*" in *"-f s16le -ar 24000 -ac 1 -i pipe:0 -c:a aac "*"-f adts pipe:1") ;; *) exit 9 ;; esac
    exec cat`)
  expect((await spoken(speakWith(program))).length).toBeGreaterThan(20_000)
  await expect(spoken(speakWith(await standIn('exit 3')))).rejects.toMatchObject({ detail: { kind: 'failed' } })
  const refused = {
    detail: { kind: 'unsupported', param: 'response_format' },
    message: expect.stringMatching(/platform\.audio\.ffmpeg/),
  }
  await expect(spoken(speakWith(undefined))).rejects.toMatchObject(refused)
})

const real = findProgram('ffmpeg')

it.skipIf(real === undefined)('works with the ffmpeg of this machine, there and back', async () => {
  const aac = await spoken(speakWith(real))
  expect(aac.readUInt16BE(0) & 0xfff6).toBe(0xfff0)
  const samples = (await heard(real, aac)).reduce((sum, { length }) => sum + length, 0)
  expect(samples / 16_000).toBeGreaterThan(0.5)
})
