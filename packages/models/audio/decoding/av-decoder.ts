// The samples of one file, as libav decodes it.
import { type AvFrame, type AvPacket, type AvSamples, type AvStream, type LibAv, openLibAv } from '../libav.ts'
import { AudioFormatProblem } from '../wav.ts'

const fileName = 'sound'
const packetBytesAtOnce = 32 * 1024
/** The same codec under the name of the decoder that is there. */
const decoderNames: Record<string, string> = { opus: 'libopus', vorbis: 'libvorbis' }

export interface DecodedPiece {
  rate: number
  /** Mono, from -1 to 1. */
  samples: Float32Array
}

export async function* decodeFile(bytes: Uint8Array): AsyncGenerator<DecodedPiece> {
  const libav = await openLibAv()
  await libav.writeFile(fileName, bytes)
  const { context, stream } = await openFile(libav)
  const decoder = await openDecoder(libav, stream)
  const packet = await libav.av_packet_alloc()
  for (;;) {
    const [result, packets] = await libav.ff_read_frame_multi(context, packet, { limit: packetBytesAtOnce })
    const isEnd = result === libav.AVERROR_EOF
    if (result < 0 && !isEnd && result !== -libav.EAGAIN) throw new AudioFormatProblem('it is damaged')
    const frames = await decoder(packets[stream.index] ?? [], isEnd)
    if (frames.length > 0) yield joined(frames)
    if (isEnd) return
  }
}

function joined(frames: readonly AvFrame[]): DecodedPiece {
  const rate = frames[0]?.sample_rate ?? 0
  if (frames.some(({ sample_rate }) => sample_rate !== rate)) throw rateChanges()
  const samples = new Float32Array(frames.reduce((sum, { nb_samples }) => sum + nb_samples, 0))
  let at = 0
  for (const frame of frames) {
    samples.set(mixDown(frame), at)
    at += frame.nb_samples
  }
  return { rate, samples }
}

export const rateChanges = (): Error => new AudioFormatProblem('its sample rate changes on the way')

async function openFile(libav: LibAv): Promise<{ context: number; stream: AvStream }> {
  const opened = await libav.ff_init_demuxer_file(fileName).catch(() => undefined)
  if (opened === undefined) throw new AudioFormatProblem('it is in no format that is known here, or damaged')
  const [context, streams] = opened
  const stream = streams.find(({ codec_type }) => codec_type === libav.AVMEDIA_TYPE_AUDIO)
  if (stream === undefined) throw new AudioFormatProblem('there is no sound in it')
  return { context, stream }
}

type Decode = (packets: AvPacket[], isEnd: boolean) => Promise<AvFrame[]>

async function openDecoder(libav: LibAv, { codec_id, codecpar }: AvStream): Promise<Decode> {
  const name = await libav.avcodec_get_name(codec_id)
  const opened = await libav.ff_init_decoder(decoderNames[name] ?? codec_id, { codecpar }).catch(() => undefined)
  if (opened === undefined) {
    throw new AudioFormatProblem(
      `its sound is coded as ${name}, for which there is no decoder here; send it as mp3, flac, ogg, webm (Opus or Vorbis) or wav${name === 'aac' ? ', or have whoever runs this server name an ffmpeg program in its configuration (platform.audio.ffmpeg)' : ''}`,
    )
  }
  const [, context, packet, frame] = opened
  // What is damaged in the middle of a file is left out.
  return (packets, isEnd) => libav.ff_decode_multi(context, packet, frame, packets, { fin: isEnd, ignoreErrors: true })
}

/** The mean of all channels. */
function mixDown({ data, channels, nb_samples }: AvFrame): Float32Array {
  const mono = new Float32Array(nb_samples)
  const planes = Array.isArray(data) ? data : undefined
  for (let at = 0; at < nb_samples; at++) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++) {
      sum += planes === undefined ? sampleAt(data as AvSamples, at * channels + channel) : sampleAt(planes[channel], at)
    }
    mono[at] = Number.isFinite(sum) ? sum / channels : 0
  }
  return mono
}

function sampleAt(samples: AvSamples | undefined, at: number): number {
  const sample = samples?.[at] ?? 0
  if (samples instanceof Int16Array) return sample / 0x8000
  if (samples instanceof Int32Array) return sample / 0x80000000
  if (samples instanceof Uint8Array) return (sample - 0x80) / 0x80
  return sample
}
