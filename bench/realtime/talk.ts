// One conversation as a client with a microphone holds it: sound goes out as fast as it is spoken.
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { AtollServer } from '../atoll-server.ts'

const pieceMs = 100
const bytesPerMs = 48
const silenceMs = 1_000

/** In milliseconds from `speech_stopped`. */
export interface Turn {
  understoodMs: number
  firstWordMs: number
  firstSoundMs: number
  transcript: string
  answer: string
  /** Times at which a player would have had nothing to play. */
  gaps: number
}

interface Told {
  type: string
  at: number
  delta?: string
  transcript?: string
  [field: string]: unknown
}

export class Talk {
  readonly events: Told[] = []
  readonly #socket: WebSocket
  #wake: (() => void) | undefined

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => {
      this.events.push({ ...JSON.parse(String(data)), at: performance.now() })
      this.#wake?.()
    })
  }

  static async open({ url, apiKey }: Pick<AtollServer, 'url' | 'apiKey'>): Promise<Talk> {
    const headers = { authorization: `Bearer ${apiKey}`, 'openai-beta': 'realtime=v1' }
    const address = `${url.replace('http', 'ws')}/v1/realtime?model=gpt-4o-realtime-preview`
    const socket = new WebSocket(address, { headers })
    const talk = new Talk(socket)
    await once(socket, 'open')
    const session = { input_audio_transcription: { model: 'whisper-1' }, max_response_output_tokens: 120 }
    socket.send(JSON.stringify({ type: 'session.update', session }))
    return talk
  }

  async ask(sound: Buffer): Promise<Turn> {
    const from = this.events.length
    const said = this.#speak(sound)
    while (!this.events.slice(from).some(({ type }) => type === 'response.done')) {
      const error = this.events.slice(from).find(({ type }) => type === 'error')
      if (error !== undefined) throw new Error(`The session failed: ${JSON.stringify(error)}`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    await said
    return turnOf(this.events.slice(from))
  }

  close(): void {
    this.#socket.close()
  }

  async #speak(sound: Buffer): Promise<void> {
    const all = Buffer.concat([sound, Buffer.alloc(silenceMs * bytesPerMs)])
    const startedAt = performance.now()
    for (let at = 0; at < all.length; at += pieceMs * bytesPerMs) {
      const audio = all.subarray(at, at + pieceMs * bytesPerMs).toString('base64')
      this.#socket.send(JSON.stringify({ type: 'input_audio_buffer.append', audio }))
      await pause(Math.max(0, startedAt + at / bytesPerMs + pieceMs - performance.now()))
    }
  }
}

function turnOf(events: readonly Told[]): Turn {
  const find = (type: string): Told | undefined => events.find((event) => event.type === type)
  const stoppedAt = events.findLast(({ type }) => type === 'input_audio_buffer.speech_stopped')?.at ?? Number.NaN
  const after = (type: string): number => (find(type)?.at ?? Number.NaN) - stoppedAt
  const understood = find('conversation.item.input_audio_transcription.completed')
  return {
    understoodMs: after('conversation.item.input_audio_transcription.completed'),
    firstWordMs: after('response.audio_transcript.delta'),
    firstSoundMs: after('response.audio.delta'),
    transcript: understood?.transcript ?? '',
    answer: find('response.audio_transcript.done')?.transcript ?? '',
    gaps: gapsOf(events.filter(({ type }) => type === 'response.audio.delta')),
  }
}

/** A player begins with the first piece, and plays on without a pause as long as it has something. */
function gapsOf(deltas: readonly Told[]): number {
  let gaps = 0
  let playedUntil = deltas[0]?.at ?? 0
  for (const { at, delta = '' } of deltas) {
    if (at > playedUntil) gaps += 1
    playedUntil = Math.max(at, playedUntil) + Buffer.from(delta, 'base64').length / bytesPerMs
  }
  return gaps
}
