// A thread's memory, given out once at its start: numbers that kernels know by their address and JavaScript as arrays.
export interface Numbers {
  /** Bytes from the start of the memory. */
  at: number
  data: Float32Array
}

const alignment = 64

/** Adds up what is asked for; a second pass with real memory gives it out. */
export class Memory {
  readonly #buffer: SharedArrayBuffer | undefined
  #at = 0

  constructor(buffer?: SharedArrayBuffer) {
    this.#buffer = buffer
  }

  take(count: number): Numbers {
    const at = this.#at
    this.#at += Math.ceil((4 * count) / alignment) * alignment
    return { at, data: this.#buffer === undefined ? new Float32Array(0) : new Float32Array(this.#buffer, at, count) }
  }

  get bytes(): number {
    return this.#at
  }
}
