// `./atoll say`: a text spoken by a server, into a file.
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { extname } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { CommandProblem } from '../command-problem.ts'
import { ProgressLine } from '../progress-line.ts'
import { AudioServer } from './audio-server.ts'
import { untilStopped } from './until-stopped.ts'

interface SayFlags {
  output: string
  voice: string
  speed: string
  model: string
  url?: string
}

const formats: Record<string, string | undefined> = {
  '.mp3': 'mp3',
  '.opus': 'opus',
  '.ogg': 'opus',
  '.aac': 'aac',
  '.flac': 'flac',
  '.wav': 'wav',
  '.pcm': 'pcm',
}

export const say = (given: string, flags: SayFlags): Promise<void> =>
  untilStopped(async (signal) => {
    const { output, voice, model } = flags
    const format = formats[extname(output).toLowerCase()]
    if (format === undefined) throw new CommandProblem(`${output} must end in .mp3, .opus, .flac, .wav or .pcm.`)
    const speed = Number(flags.speed)
    if (!Number.isFinite(speed)) throw new CommandProblem(`--speed takes a number, and ${flags.speed} is none.`)
    const input = given === '-' ? await readText(process.stdin) : given
    const server = new AudioServer(flags.url, process.env)
    const sound = await server.speak({ model, input, voice, speed, response_format: format }, signal)
    const bytes = await save(sound, output)
    console.log(`${output}: ${Math.ceil(bytes / 1_024)} KB`)
  })

/** A file that did not come whole is not left behind. */
async function save(sound: ReadableStream<Uint8Array>, output: string): Promise<number> {
  let bytes = 0
  const progress = new ProgressLine(process.stderr)
  const count = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length
      progress.show(`Speaking: ${Math.ceil(bytes / 1_024)} KB`)
      done(null, piece)
    },
  })
  try {
    await pipeline(Readable.fromWeb(sound as never), count, createWriteStream(output))
    return bytes
  } catch (error) {
    await rm(output, { force: true })
    throw error
  } finally {
    progress.close()
  }
}
