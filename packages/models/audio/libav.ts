// FFmpeg's libraries, compiled to WebAssembly without what is patented or GPL: they take sound files apart and write
// them. Used in processes that can be killed, and nowhere else.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

export interface AvFrame {
  /** One array for all channels, or one for each. */
  data: AvSamples | AvSamples[]
  format: number
  sample_rate: number
  channels: number
  channel_layout: number
  nb_samples: number
  pts: number
}

export type AvSamples = Float32Array | Int16Array | Int32Array | Uint8Array

export interface AvPacket {
  data: Uint8Array
  stream_index: number
}

export interface AvStream {
  index: number
  codec_type: number
  codec_id: number
  codecpar: number
  duration: number
}

/** What is used here of libav.js, which documents it. */
export interface LibAv {
  readonly AV_SAMPLE_FMT_FLT: number
  readonly AV_SAMPLE_FMT_FLTP: number
  readonly AV_SAMPLE_FMT_S16: number
  readonly AVMEDIA_TYPE_AUDIO: number
  readonly AVERROR_EOF: number
  readonly EAGAIN: number
  writeFile(name: string, bytes: Uint8Array): Promise<void>
  avcodec_get_name(codec: number): Promise<string>
  ff_init_demuxer_file(name: string): Promise<[context: number, streams: AvStream[]]>
  av_packet_alloc(): Promise<number>
  ff_read_frame_multi(
    context: number,
    packet: number,
    options: { limit: number },
  ): Promise<[result: number, packets: Record<number, AvPacket[] | undefined>]>
  ff_init_decoder(
    codec: number | string,
    options: { codecpar: number },
  ): Promise<[codec: number, context: number, packet: number, frame: number]>
  ff_decode_multi(
    context: number,
    packet: number,
    frame: number,
    packets: AvPacket[],
    options: { fin?: boolean; ignoreErrors?: boolean },
  ): Promise<AvFrame[]>
  ff_init_encoder(
    codec: string,
    options: { ctx: object; time_base: [number, number]; options: Record<string, string> },
  ): Promise<[codec: number, context: number, frame: number, packet: number, frameSize: number]>
  ff_encode_multi(
    context: number,
    frame: number,
    packet: number,
    frames: AvFrame[],
    isEnd: boolean,
  ): Promise<AvPacket[]>
  ff_free_encoder(context: number, frame: number, packet: number): Promise<void>
  avcodec_parameters_alloc(): Promise<number>
  avcodec_parameters_from_context(parameters: number, context: number): Promise<number>
  ff_copyout_codecpar(parameters: number): Promise<{ extradata?: Uint8Array }>
}

interface LibAvModule {
  LibAV(options: { noworker: boolean; nothreads: boolean }): Promise<LibAv>
}

export function openLibAv(): Promise<LibAv> {
  const { LibAV } = require('@libav.js/variant-obsolete') as LibAvModule
  return LibAV({ noworker: true, nothreads: true })
}
