// Sound in the formats that libav writes: whole frames are encoded as they fill, the rest at the end.
import { type AvFrame, type LibAv, openLibAv } from '../../audio/libav.ts'
import { toInt16 } from '../../audio/samples.ts'
import { OpusPages } from './ogg.ts'
import type { SpeechEncoder } from './speech-encoder.ts'
import { speechRate } from './speech-rate.ts'

const mono = 4
const nothing = new Uint8Array(0)

/** How packets become a file. */
interface Container {
  start(extradata: Uint8Array): Uint8Array
  add(packet: Uint8Array): Uint8Array
  /** What is complete so far. */
  flush(isEnd: boolean): Uint8Array
}

interface Codec {
  name: string
  sampleFormat: 'FLT' | 'FLTP' | 'S16'
  bitRate?: number
  options: Record<string, string>
  container(): Container
}

/** Packets one after the other. */
const inARow = (start: (extradata: Uint8Array) => Uint8Array): Container => ({
  start,
  add: (packet) => packet,
  flush: () => nothing,
})

const opusFrameSeconds = 0.02
/** What the encoder looks ahead, in samples of 48,000 a second. */
const opusSkip = 312

function oggPages(): Container {
  const pages = new OpusPages(0x41746f6c)
  return {
    start: () => pages.start(speechRate, opusSkip),
    add: (packet) => pages.add(packet, opusFrameSeconds),
    flush: (isEnd) => pages.flush(isEnd),
  }
}

/** The marker and its one block, the last, with what the encoder says of the stream. */
const flacStart = (extradata: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from('fLaC'), Buffer.of(0x80, 0, 0, extradata.length), extradata])

export const codecs = {
  mp3: {
    name: 'libmp3lame',
    sampleFormat: 'FLTP',
    bitRate: 64_000,
    options: {},
    container: () => inARow(() => nothing),
  },
  opus: {
    name: 'libopus',
    sampleFormat: 'FLT',
    bitRate: 32_000,
    // Five times faster than its default, and as good for speech.
    options: { compression_level: '5' },
    container: oggPages,
  },
  flac: { name: 'flac', sampleFormat: 'S16', options: {}, container: () => inARow(flacStart) },
} satisfies Record<string, Codec>

let opening: Promise<LibAv> | undefined

export async function createAvEncoder(format: keyof typeof codecs): Promise<SpeechEncoder> {
  opening ??= openLibAv()
  const libav = await opening
  const { name, sampleFormat, bitRate, options, container: newContainer }: Codec = codecs[format]
  const kind = libav[`AV_SAMPLE_FMT_${sampleFormat}`]
  const sound = { sample_rate: speechRate, channel_layout: mono, channels: 1 }
  const ctx = { ...sound, sample_fmt: kind, ...(bitRate === undefined ? {} : { bit_rate: bitRate }) }
  const [, context, frame, packet, size] = await libav.ff_init_encoder(name, {
    ctx,
    time_base: [1, speechRate],
    options,
  })
  const container = newContainer()
  let kept = new Float32Array(0)
  let pts = 0
  let start: Uint8Array | undefined = container.start(await extradataOf(libav, context))

  const frameOf = (samples: Float32Array): AvFrame => {
    const data = sampleFormat === 'S16' ? toInt16(samples) : sampleFormat === 'FLTP' ? [samples] : samples
    const made = { data, format: kind, ...sound, nb_samples: samples.length, pts }
    pts += samples.length
    return made
  }

  const write = async (frames: AvFrame[], isEnd: boolean): Promise<Uint8Array> => {
    const packets = await libav.ff_encode_multi(context, frame, packet, frames, isEnd)
    const pieces = [start ?? nothing, ...packets.map(({ data }) => container.add(data)), container.flush(isEnd)]
    start = undefined
    return Buffer.concat(pieces)
  }

  return {
    encode(samples) {
      const all = new Float32Array(kept.length + samples.length)
      all.set(kept)
      all.set(samples, kept.length)
      const whole = all.length - (all.length % size)
      kept = all.slice(whole)
      const frames: AvFrame[] = []
      for (let at = 0; at < whole; at += size) frames.push(frameOf(all.slice(at, at + size)))
      return write(frames, false)
    },
    async end() {
      // Filled up with silence: encoders take whole frames.
      const last = new Float32Array(kept.length === 0 ? 0 : size)
      last.set(kept)
      const bytes = await write(last.length === 0 ? [] : [frameOf(last)], true)
      await libav.ff_free_encoder(context, frame, packet)
      return bytes
    },
  }
}

async function extradataOf(libav: LibAv, context: number): Promise<Uint8Array> {
  const parameters = await libav.avcodec_parameters_alloc()
  await libav.avcodec_parameters_from_context(parameters, context)
  return (await libav.ff_copyout_codecpar(parameters)).extradata ?? nothing
}
