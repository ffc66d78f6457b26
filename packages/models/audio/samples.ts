// Samples as 16-bit whole numbers and as numbers from -1 to 1.
export function toFloats(samples: Int16Array): Float32Array {
  const floats = new Float32Array(samples.length)
  for (let at = 0; at < samples.length; at++) floats[at] = (samples[at] as number) / 0x8000
  return floats
}

/** What is too loud is cut off at the loudest. */
export function toInt16(samples: Float32Array): Int16Array {
  const whole = new Int16Array(samples.length)
  for (let at = 0; at < samples.length; at++) {
    whole[at] = Math.max(-0x8000, Math.min(0x7fff, Math.round((samples[at] as number) * 0x8000)))
  }
  return whole
}

export const bytesOf = (samples: Int16Array): Uint8Array =>
  new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
