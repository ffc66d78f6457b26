// A spoken conversation under way: microphone, socket and loudspeaker.
import { base64Of, bytesOf } from './base64.ts'
import { openMicrophone } from './microphone.ts'
import { Player } from './player.ts'
import { playedOut, type ServerEvent } from './spoken.ts'

export interface CallSettings {
  model: string
  voice: string
  instructions: string
  project: string
}

export interface CallListener {
  told(event: ServerEvent): void
  /** How loud the microphone is, from 0 to 1. */
  heard(peak: number): void
  /** Without a problem where the person hung up. */
  ended(problem?: string): void
}

export interface CallControls {
  hangUp(): void
  mute(isMuted: boolean): void
}

const normal = 1000
const sessionOver = 1008
/** Ten seconds of sound: a connection that is so far behind will not catch up. */
const maxWaitingBytes = 640_000

/** Throws where there is no microphone; whatever fails later ends the call. */
export async function beginCall(settings: CallSettings, listener: CallListener): Promise<CallControls> {
  const context = new AudioContext()
  try {
    const call = new Call(context, settings, listener)
    const microphone = await openMicrophone(context, ({ sound, peak }) => call.hear(new Uint8Array(sound), peak))
    call.onEnd = () => {
      microphone.close()
      void context.close()
    }
    call.dial()
    return { hangUp: () => call.hangUp(), mute: (isMuted) => microphone.mute(isMuted) }
  } catch (error) {
    void context.close()
    throw error
  }
}

class Call {
  readonly #settings: CallSettings
  readonly #listener: CallListener
  readonly #player: Player
  #socket: WebSocket | undefined
  #isOver = false
  onEnd: () => void = () => undefined

  constructor(context: AudioContext, settings: CallSettings, listener: CallListener) {
    this.#settings = settings
    this.#listener = listener
    this.#player = new Player(context, () => listener.told({ type: playedOut }))
  }

  /** The cookie says who calls; the subprotocols, that it is this page, and in which project. */
  dial(): void {
    const { model, project } = this.#settings
    const address = `${location.origin.replace(/^http/, 'ws')}/v1/realtime?model=${encodeURIComponent(model)}`
    const socket = new WebSocket(address, ['realtime', 'atoll-console', `openai-project.${project}`])
    socket.onopen = () => this.#send({ type: 'session.update', session: sessionOf(this.#settings) })
    socket.onmessage = ({ data }: MessageEvent<string>) => this.#take(JSON.parse(data) as ServerEvent)
    socket.onclose = ({ code, wasClean }) => this.#end(problemOf(code, wasClean))
    this.#socket = socket
  }

  hear(sound: Uint8Array, peak: number): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return
    this.#listener.heard(peak)
    if (this.#socket.bufferedAmount > maxWaitingBytes) this.#end('The connection is too slow for sound.')
    else this.#send({ type: 'input_audio_buffer.append', audio: base64Of(sound) })
  }

  hangUp(): void {
    this.#end()
  }

  #take(event: ServerEvent): void {
    if (event.type === 'response.output_audio.delta') this.#player.play(event.item_id ?? '', bytesOf(event.delta ?? ''))
    else if (event.type === 'input_audio_buffer.speech_started') this.#fallSilent()
    this.#listener.told(event)
  }

  /** The server stops the answer by itself; only here is known how much of it was heard. */
  #fallSilent(): void {
    const played = this.#player.interrupt()
    if (played === undefined) return
    const { itemId: item_id, milliseconds: audio_end_ms } = played
    this.#send({ type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms })
  }

  #send(event: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(event))
  }

  #end(problem?: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#player.interrupt()
    this.#socket?.close(normal)
    this.onEnd()
    this.#listener.ended(problem)
  }
}

const sessionOf = ({ voice, instructions }: CallSettings) => ({
  type: 'realtime',
  ...(instructions.trim() === '' ? {} : { instructions }),
  audio: { input: { transcription: {} }, output: { voice } },
})

function problemOf(code: number, wasClean: boolean): string | undefined {
  if (code === sessionOver) return 'You were logged out, so the conversation has ended.'
  if (code === normal) return 'The server has ended the conversation.'
  return wasClean ? `The server has ended the conversation (${code}).` : 'The connection to the server is lost.'
}
