// G.711, the sound of telephones: 8 bits a sample by µ-law or A-law.
const bias = 0x84
const clip = 32_635

function decodeMuLaw(code: number): number {
  const flipped = ~code & 0xff
  const exponent = (flipped >> 4) & 7
  const magnitude = ((((flipped & 0x0f) << 3) + bias) << exponent) - bias
  return flipped & 0x80 ? -magnitude : magnitude
}

function encodeMuLaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0
  const magnitude = Math.min(clip, Math.abs(sample)) + bias
  const exponent = 31 - Math.clz32(magnitude) - 7
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f
  return ~(sign | (exponent << 4) | mantissa) & 0xff
}

function decodeALaw(code: number): number {
  const flipped = code ^ 0x55
  const exponent = (flipped >> 4) & 7
  const mantissa = (flipped & 0x0f) << 4
  const magnitude = exponent === 0 ? mantissa + 8 : (mantissa + 0x108) << (exponent - 1)
  return flipped & 0x80 ? magnitude : -magnitude
}

function encodeALaw(sample: number): number {
  const sign = sample < 0 ? 0 : 0x80
  const magnitude = Math.min(32_767, sample < 0 ? -sample - 1 : sample)
  const exponent = magnitude < 256 ? 0 : 31 - Math.clz32(magnitude) - 7
  const mantissa = (exponent === 0 ? magnitude >> 4 : magnitude >> (exponent + 3)) & 0x0f
  return (sign | (exponent << 4) | mantissa) ^ 0x55
}

/** One look-up for each sample. */
export interface Companding {
  decoded: Int16Array
  encoded: Uint8Array
}

/** Made when a session first speaks so: most servers have none, and it would be the hottest loop of their start. */
function tables(decode: (code: number) => number, encode: (sample: number) => number): () => Companding {
  let made: Companding | undefined
  return () => {
    made ??= {
      decoded: Int16Array.from({ length: 256 }, (_, code) => decode(code)),
      encoded: Uint8Array.from({ length: 65_536 }, (_, index) => encode((index << 16) >> 16)),
    }
    return made
  }
}

export const muLaw = tables(decodeMuLaw, encodeMuLaw)
export const aLaw = tables(decodeALaw, encodeALaw)
