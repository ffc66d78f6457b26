/** Turns samples into the bytes of a file, as they come. */
export interface SpeechEncoder {
  encode(samples: Float32Array): Promise<Uint8Array>
  end(): Promise<Uint8Array>
}
