// Plays what the model says, piece after piece without a gap, and knows how far it has come.

const rate = 24_000
const bytesPerSample = 2
/** Pieces come from a network: a little is kept in hand. */
const aheadSeconds = 0.08

export interface Played {
  itemId: string
  /** How much of the item has been heard. */
  milliseconds: number
}

export class Player {
  readonly #context: AudioContext
  readonly #onSilence: () => void
  readonly #playing = new Set<AudioBufferSourceNode>()
  #itemId: string | undefined
  #itemBeganAt = 0
  #itemSeconds = 0
  #freeAt = 0

  /** `onSilence` is called whenever all that came was played. */
  constructor(context: AudioContext, onSilence: () => void) {
    this.#context = context
    this.#onSilence = onSilence
  }

  play(itemId: string, pcm: Uint8Array): void {
    const samples = Math.floor(pcm.length / bytesPerSample)
    if (samples === 0) return
    const beginAt = Math.max(this.#freeAt, this.#context.currentTime + aheadSeconds)
    if (this.#itemId !== itemId) {
      this.#itemId = itemId
      this.#itemBeganAt = beginAt
      this.#itemSeconds = 0
    }
    const source = this.#context.createBufferSource()
    source.buffer = this.#bufferOf(pcm, samples)
    source.connect(this.#context.destination)
    source.onended = () => {
      if (this.#playing.delete(source) && this.#playing.size === 0) this.#onSilence()
    }
    this.#playing.add(source)
    source.start(beginAt)
    this.#itemSeconds += samples / rate
    this.#freeAt = beginAt + samples / rate
  }

  /** At once. Tells what was cut off: undefined where nothing was being played. */
  interrupt(): Played | undefined {
    if (this.#itemId === undefined || this.#context.currentTime >= this.#freeAt) return undefined
    const heard = Math.min(this.#itemSeconds, Math.max(0, this.#context.currentTime - this.#itemBeganAt))
    const played = { itemId: this.#itemId, milliseconds: Math.floor(heard * 1000) }
    for (const source of this.#playing) source.stop()
    this.#playing.clear()
    this.#itemId = undefined
    this.#freeAt = 0
    return played
  }

  #bufferOf(pcm: Uint8Array, samples: number): AudioBuffer {
    const buffer = this.#context.createBuffer(1, samples, rate)
    const channel = buffer.getChannelData(0)
    const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength)
    for (let index = 0; index < samples; index++) {
      channel[index] = view.getInt16(index * bytesPerSample, true) / 0x8000
    }
    return buffer
  }
}
